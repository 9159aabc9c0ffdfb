export * from "./transforms/part.ts";
export * from "./transforms/pipeline.ts";
export * from "./transforms/stage.ts";
