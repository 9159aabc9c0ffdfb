/**
 * Finds the places of a source file where a mistake could be made, and the
 * mistakes: the operators are those mutation testers for JavaScript agree on.
 */
import { parseAst } from "rolldown/parseAst";

/** One mistake. */
export interface Mutant {
  /** Path of the source file, from the root of the project. */
  file: string;
  /** 1-based. */
  line: number;
  /** The kind of mistake. */
  operator: string;
  /** What is evaluated in its place: a whole expression, or the inside of a block. */
  unit: "expression" | "block";
  /** Where the unit is, in UTF-16 code units. */
  start: number;
  end: number;
  /** The unit's text, and what it becomes. */
  original: string;
  replacement: string;
}

interface Node {
  type: string;
  start: number;
  end: number;
  // deno-lint-ignore no-explicit-any
  [key: string]: any;
}

const ARITHMETIC: Readonly<Record<string, string>> = {
  "+": "-",
  "-": "+",
  "*": "/",
  "/": "*",
  "%": "*",
};
const EQUALITY: Readonly<Record<string, readonly string[]>> = {
  "<": ["<=", ">="],
  "<=": ["<", ">"],
  ">": [">=", "<="],
  ">=": [">", "<"],
  "==": ["!="],
  "!=": ["=="],
  "===": ["!=="],
  "!==": ["==="],
};
const ASSIGNMENT: Readonly<Record<string, string>> = {
  "+=": "-=",
  "-=": "+=",
  "*=": "/=",
  "/=": "*=",
  "%=": "*=",
  "<<=": ">>=",
  ">>=": "<<=",
  "&=": "|=",
  "|=": "&=",
  "&&=": "||=",
  "||=": "&&=",
  "??=": "&&=",
};
const LOGICAL: Readonly<Record<string, string>> = {
  "&&": "||",
  "||": "&&",
  "??": "&&",
};
/** A method → the one it may be taken for; empty: the call is left out. */
const METHODS: ReadonlyMap<string, string> = new Map([
  ["startsWith", "endsWith"],
  ["endsWith", "startsWith"],
  ["trimStart", "trimEnd"],
  ["trimEnd", "trimStart"],
  ["toLowerCase", "toUpperCase"],
  ["toUpperCase", "toLowerCase"],
  ["some", "every"],
  ["every", "some"],
  ["min", "max"],
  ["max", "min"],
  ["charAt", ""],
  ["filter", ""],
  ["reverse", ""],
  ["slice", ""],
  ["sort", ""],
  ["substring", ""],
  ["trim", ""],
]);

/** The mistakes that can be made in a file, in the order of their places. */
export function mutantsOf(file: string, source: string): Mutant[] {
  const found: Mutant[] = [];
  const lines: number[] = [];
  for (
    let at = source.indexOf("\n");
    at >= 0;
    at = source.indexOf("\n", at + 1)
  ) {
    lines.push(at);
  }
  const lineOf = (at: number): number => {
    let low = 0;
    let high = lines.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (lines[middle]! < at) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  };

  /** Adds the mistake of putting `text` for [from, to) in a unit. */
  const add = (
    operator: string,
    unit: Node,
    text: string,
    from: number = unit.start,
    to: number = unit.end,
  ): void => {
    const original = source.slice(unit.start, unit.end);
    const replacement = source.slice(unit.start, from) + text +
      source.slice(to, unit.end);
    if (
      found.some((one) =>
        one.start === unit.start && one.end === unit.end &&
        one.replacement === replacement
      )
    ) return;
    found.push({
      file,
      line: lineOf(from),
      operator,
      unit: "expression",
      start: unit.start,
      end: unit.end,
      original,
      replacement,
    });
  };
  const addBlock = (operator: string, start: number, end: number): void => {
    const original = source.slice(start, end);
    if (original.trim() === "") return;
    found.push({
      file,
      line: lineOf(start),
      operator,
      unit: "block",
      start,
      end,
      original,
      replacement: "",
    });
  };

  /** Where the operator between two operands is. */
  const between = (node: Node, word: string): number => {
    let at = node["left"].end;
    // A type assertion or a bracket may stand before it.
    for (;;) {
      at = source.indexOf(word, at);
      if (at < 0) throw new Error(`There is no ${word} in ${file}`);
      const before = source.slice(node["left"].end, at);
      if (/^(?:[)\s]|\/\/.*\n)*$/.test(before)) return at;
      at++;
    }
  };

  const isTest = (parent: Node | undefined, key: string): boolean =>
    key === "test" && parent !== undefined &&
    /^(?:If|While|DoWhile|For|Conditional)/.test(parent.type);

  const expression = (
    node: Node,
    parent: Node | undefined,
    key: string,
    chain: Node | undefined,
  ): void => {
    const unit = chain ?? node;
    const loop = isTest(parent, key) &&
      /^(?:While|DoWhile|For)/.test(parent!.type);
    if (
      isTest(parent, key) ||
      node.type === "BinaryExpression" &&
        EQUALITY[node["operator"]] !== undefined ||
      node.type === "LogicalExpression" && node["operator"] !== "??"
    ) {
      if (!loop) {
        add("ConditionalExpression", unit, "true", node.start, node.end);
      }
      add("ConditionalExpression", unit, "false", node.start, node.end);
    }
    switch (node.type) {
      case "BinaryExpression": {
        const word: string = node["operator"];
        const at = (): number => between(node, word);
        for (const other of EQUALITY[word] ?? []) {
          add("EqualityOperator", unit, other, at(), at() + word.length);
        }
        const other = ARITHMETIC[word];
        const isText = (side: Node): boolean =>
          side.type === "TemplateLiteral" ||
          side.type === "Literal" && typeof side["value"] === "string" ||
          side.type === "BinaryExpression" &&
            (isText(side["left"]) || isText(side["right"]));
        if (
          other !== undefined &&
          !(word === "+" && (isText(node["left"]) || isText(node["right"])))
        ) add("ArithmeticOperator", unit, other, at(), at() + word.length);
        break;
      }
      case "LogicalExpression": {
        const word: string = node["operator"];
        // "??" does not stand beside "&&" without brackets.
        if (word === "??" && node["left"]["operator"] === "??") break;
        const at = between(node, word);
        add("LogicalOperator", unit, LOGICAL[word]!, at, at + word.length);
        break;
      }
      case "AssignmentExpression": {
        const word: string = node["operator"];
        const other = ASSIGNMENT[word];
        const right: Node = node["right"];
        if (
          other === undefined ||
          word === "+=" && (right.type === "TemplateLiteral" ||
              typeof right["value"] === "string")
        ) break;
        const at = between(node, word);
        add("AssignmentOperator", unit, other, at, at + word.length);
        break;
      }
      case "UpdateExpression": {
        const at = node["prefix"] ? node.start : node.end - 2;
        add(
          "UpdateOperator",
          unit,
          node["operator"] === "++" ? "--" : "++",
          at,
          at + 2,
        );
        break;
      }
      case "UnaryExpression": {
        const word: string = node["operator"];
        if (word === "!") {
          add("BooleanLiteral", unit, "", node.start, node.start + 1);
        } else if (word === "-" || word === "+") {
          add(
            "UnaryOperator",
            unit,
            word === "-" ? "+" : "-",
            node.start,
            node.start + 1,
          );
        } else if (word === "~") {
          add("UnaryOperator", unit, "", node.start, node.start + 1);
        }
        break;
      }
      case "Literal":
        if (typeof node["value"] === "boolean") {
          add(
            "BooleanLiteral",
            unit,
            String(!node["value"]),
            node.start,
            node.end,
          );
        } else if (
          // What a symbol is called is for nobody to see.
          typeof node["value"] === "string" &&
          parent?.["callee"]?.name !== "Symbol"
        ) {
          add(
            "StringLiteral",
            unit,
            node["value"] === "" ? '"mutated"' : '""',
            node.start,
            node.end,
          );
        } else if (node["regex"] != null) {
          for (const text of expressionMistakes(node["regex"].pattern)) {
            add(
              "Regex",
              unit,
              `/${text}/${node["regex"].flags}`,
              node.start,
              node.end,
            );
          }
        }
        break;
      case "TemplateLiteral":
        if (parent?.type !== "TaggedTemplateExpression") {
          add(
            "StringLiteral",
            unit,
            source.slice(node.start, node.end) === "``" ? "`mutated`" : "``",
            node.start,
            node.end,
          );
        }
        break;
      case "ArrayExpression":
        add(
          "ArrayDeclaration",
          unit,
          node["elements"].length > 0 ? "[]" : '["mutated"]',
          node.start,
          node.end,
        );
        break;
      case "ObjectExpression":
        if (node["properties"].length > 0) {
          // Brackets: at the beginning of an arrow's body it would be a block.
          add("ObjectLiteral", unit, "({})", node.start, node.end);
        }
        break;
      case "CallExpression": {
        const callee: Node = node["callee"];
        if (callee.type !== "MemberExpression" || callee["computed"]) break;
        const name: string = callee["property"].name;
        const other = METHODS.get(name);
        if (other === undefined || callee["object"].type === "Super") break;
        if (other === "") {
          if (
            callee["object"].type !== "Identifier" ||
            !/^[A-Z]/.test(callee["object"].name)
          ) {
            add("MethodExpression", unit, "", callee["object"].end, node.end);
          }
        } else {
          add(
            "MethodExpression",
            unit,
            other,
            callee["property"].start,
            callee["property"].end,
          );
        }
        break;
      }
      case "ArrowFunctionExpression":
        if (
          node["expression"] &&
          source.slice(node["body"].start, node["body"].end) !== "undefined"
        ) {
          add("ArrowFunction", node["body"], "undefined");
        }
        break;
    }
    if (
      node["optional"] === true &&
      (node.type === "CallExpression" || node.type === "MemberExpression")
    ) {
      const from: number = (node["object"] ?? node["callee"]).end;
      const at = source.indexOf("?.", from);
      const dot = node.type === "MemberExpression" && !node["computed"];
      add("OptionalChaining", unit, dot ? "." : "", at, at + 2);
    }
  };

  /**
   * `chain` is the optional chain whose links are being visited: none of them
   * can be replaced alone, what follows would no longer be left out.
   */
  const visit = (
    node: Node,
    parent: Node | undefined,
    key: string,
    chain: Node | undefined,
    target: boolean,
  ): void => {
    const { type } = node;
    if (
      type.startsWith("TS") && type !== "TSAsExpression" &&
      type !== "TSNonNullExpression" && type !== "TSSatisfiesExpression"
    ) return;
    if (type === "ImportDeclaration" || type === "ExportAllDeclaration") return;
    if (type === "ExportNamedDeclaration" && node["source"] != null) return;

    if (type === "BlockStatement") {
      const derived = /\bsuper\(/.test(source.slice(node.start, node.end));
      if (!derived) addBlock("BlockStatement", node.start + 1, node.end - 1);
    } else if (type === "SwitchCase" && node["consequent"].length > 0) {
      addBlock(
        "SwitchCase",
        node["consequent"][0].start,
        node["consequent"].at(-1).end,
      );
    } else if (!target) {
      expression(node, parent, key, chain);
    }

    for (const [name, child] of Object.entries(node)) {
      if (
        name === "typeAnnotation" || name === "typeArguments" ||
        name === "returnType"
      ) continue;
      if (name === "key" && !node["computed"]) continue;
      if (name === "property" && !node["computed"]) continue;
      if (
        name === "directive" ||
        type === "ExpressionStatement" && node["directive"] != null
      ) continue;
      const link = type === "ChainExpression" ? node : chain;
      const spine = link !== undefined &&
        (type === "ChainExpression" ||
          name === "object" && type === "MemberExpression" ||
          name === "callee" && type === "CallExpression" ||
          type === "TSNonNullExpression");
      // What is assigned to, deleted or called cannot become a value.
      const aimed = (type === "AssignmentExpression" && name === "left") ||
        (type === "UpdateExpression") ||
        (type === "UnaryExpression" && node["operator"] === "delete") ||
        (type === "ForOfStatement" && name === "left") ||
        (type === "ForInStatement" && name === "left") ||
        (type === "CallExpression" && name === "callee" &&
          (child as Node).type !== "ArrowFunctionExpression" && !spine) ||
        (type === "TaggedTemplateExpression" && name === "quasi") ||
        (type === "ImportExpression" && name === "source") ||
        (type === "VariableDeclarator" && name === "id") ||
        (name === "params");
      for (const one of Array.isArray(child) ? child : [child]) {
        if (
          one === null || typeof one !== "object" ||
          typeof one.type !== "string"
        ) continue;
        visit(one, node, name, spine ? link : undefined, aimed);
      }
    }
  };
  visit(
    parseAst(source, { lang: "ts" }) as unknown as Node,
    undefined,
    "",
    undefined,
    false,
  );
  return found.sort((a, b) => a.start - b.start || b.end - a.end);
}

/** An expression with an anchor, a quantifier or a negation gone wrong. */
function expressionMistakes(pattern: string): string[] {
  const mistakes = new Set<string>();
  let inClass = false;
  for (let at = 0; at < pattern.length; at++) {
    const sign = pattern[at]!;
    const without = pattern.slice(0, at) + pattern.slice(at + 1);
    if (sign === "\\") {
      const next = pattern[++at]!;
      if (/[dDwWsS]/.test(next)) {
        const other = next === next.toLowerCase()
          ? next.toUpperCase()
          : next.toLowerCase();
        mistakes.add(pattern.slice(0, at) + other + pattern.slice(at + 1));
      }
    } else if (inClass) inClass = sign !== "]";
    else if (sign === "[") {
      inClass = true;
      mistakes.add(
        pattern[at + 1] === "^"
          ? pattern.slice(0, at + 1) + pattern.slice(at + 2)
          : `${pattern.slice(0, at + 1)}^${pattern.slice(at + 1)}`,
      );
    } else if (/[\^$+*]/.test(sign)) mistakes.add(without);
  }
  return [...mistakes].filter((one) => {
    try {
      new RegExp(one, "u");
      return true;
    } catch {
      return false;
    }
  });
}
