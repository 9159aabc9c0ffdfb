/** The same on workerd. */
import { resumedAll } from "./subjects.ts";

const worker: { fetch(request: Request): Promise<Response> } = {
  async fetch(request) {
    return new Response(resumedAll(await request.text()));
  },
};

export default worker;
