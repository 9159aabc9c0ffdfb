export * from "./transforms/collect.ts";
export * from "./transforms/part.ts";
export * from "./transforms/pipeline.ts";
export * from "./transforms/schema.ts";
export * from "./transforms/stage.ts";
export * from "./transforms/sanitize_surrogates.ts";
export * from "./transforms/surrogate_sanitizer.ts";
