/** The same on workerd. */
import { runSockets, type SocketJob } from "./sockets.ts";

const worker: { fetch(request: Request): Promise<Response> } = {
  async fetch(request) {
    return Response.json(await runSockets(await request.json() as SocketJob));
  },
};

export default worker;
