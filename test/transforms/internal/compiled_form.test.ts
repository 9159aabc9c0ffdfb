import { describe, expect, test } from "vitest";
import { dialects } from "../../../transforms/dialects/mod.ts";
import { CompiledForm } from "../../../transforms/internal/compiled_form.ts";

function form(name: string, index: number = 0): CompiledForm {
  const dialect = dialects.find((one) => one.name === name)!;
  return new CompiledForm(name, dialect.forms[index]!);
}

describe("CompiledForm", () => {
  test("what is in a wrapper, and which wrapper is a fence", () => {
    expect(form("hermes").wrapped).toBe(true);
    expect(form("qwen3-coder").wrapped).toBe(true);
    expect(form("qwen3-coder", 2).wrapped).toBe(false);
    expect(form("fenced-json").fenced).toBe(true);
    expect(form("hermes").fenced).toBe(false);
    expect(form("qwen3-coder", 2).fenced).toBe(false);
  });

  test("what it begins with, the tools' names where that matters", () => {
    expect(form("hermes").openings(["a"])).toEqual(["<tool_call>"]);
    expect(form("cline-xml").openings(["a", "b"])).toEqual(["<a>", "<b>"]);
    expect(form("cline-xml").openings([])).toEqual([]);
    expect(form("qwen3-coder", 2).openings([])).toEqual(["<function="]);
  });

  test("what its calls and parameters begin with", () => {
    expect(form("qwen3-coder").callOpenings).toEqual(["<function="]);
    expect(form("qwen3-coder").parameterOpenings).toEqual(["<parameter="]);
    expect(form("hermes").callOpenings).toEqual([]);
    expect(form("hermes").parameterOpenings).toEqual([]);
    // A parameter's name as tag: a bracket alone says nothing.
    expect(form("cline-xml").parameterOpenings).toEqual([]);
    expect(form("minimax-m3").parameterOpenings).toEqual([]);
  });

  test("what may matter inside a value", () => {
    expect(form("qwen3-coder").triggers).toEqual([0x3c]);
    const one = form("mistral");
    expect(one.triggers).toBe(one.triggers);
  });
});
