/** The faults on workerd: a job comes in, cells go out. */
import { type Job, runJob } from "./run.ts";

const worker: { fetch(request: Request): Promise<Response> } = {
  async fetch(request) {
    return Response.json(await runJob(await request.json() as Job));
  },
};

export default worker;
