/**
 * The gateway on Cloudflare's workerd: `wrangler dev`, `wrangler deploy`. With
 * the class bound as `STREAMS`, streams are resumable.
 */
export { default } from "../edge.ts";
export { StreamObject } from "./stream_object.ts";
