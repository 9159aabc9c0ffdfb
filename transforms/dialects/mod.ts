import type { Dialect } from "../dialect.ts";
import { anthropic } from "./anthropic.ts";
import { clineXml } from "./cline_xml.ts";
import { commandR } from "./command_r.ts";
import { deepseekDsml } from "./deepseek_dsml.ts";
import { deepseekV3 } from "./deepseek_v3.ts";
import { deepseekV31 } from "./deepseek_v3_1.ts";
import { fencedJson } from "./fenced_json.ts";
import { functionary } from "./functionary.ts";
import { functiongemma } from "./functiongemma.ts";
import { gemma4 } from "./gemma4.ts";
import { gemmaToolCode } from "./gemma_tool_code.ts";
import { glm } from "./glm.ts";
import { granite } from "./granite.ts";
import { harmony } from "./harmony.ts";
import { hermes } from "./hermes.ts";
import { kimiK2 } from "./kimi_k2.ts";
import { lfm2 } from "./lfm2.ts";
import { llama3Json } from "./llama3_json.ts";
import { llamaPythonic } from "./llama_pythonic.ts";
import { minimaxM1 } from "./minimax_m1.ts";
import { minimaxM2 } from "./minimax_m2.ts";
import { minimaxM3 } from "./minimax_m3.ts";
import { mistral } from "./mistral.ts";
import { nemotron } from "./nemotron.ts";
import { olmo3 } from "./olmo3.ts";
import { phi4 } from "./phi4.ts";
import { qwen3Coder } from "./qwen3_coder.ts";
import { react } from "./react.ts";
import { seedOss } from "./seed_oss.ts";
import { xlam } from "./xlam.ts";

/** All dialects that come with the package. Where two would read the same, the first one does. */
export const dialects: readonly Dialect[] = [
  anthropic,
  hermes,
  qwen3Coder,
  glm,
  deepseekDsml,
  deepseekV3,
  deepseekV31,
  kimiK2,
  mistral,
  minimaxM2,
  minimaxM3,
  minimaxM1,
  harmony,
  gemma4,
  functiongemma,
  granite,
  phi4,
  nemotron,
  seedOss,
  functionary,
  llama3Json,
  llamaPythonic,
  lfm2,
  commandR,
  clineXml,
  olmo3,
  xlam,
  gemmaToolCode,
  react,
  fencedJson,
];
