import type { Subject } from "../subject.ts";
import { callSubjects } from "./calls.ts";
import { encoderSubjects } from "./encoders.ts";
import { forgedSubjects } from "./forged.ts";
import { framingSubjects } from "./framings.ts";
import { functionSubjects } from "./functions.ts";
import { pipelineSubjects } from "./pipelines.ts";
import { providerSubjects } from "./providers.ts";
import { sessionSubjects } from "./sessions.ts";
import { stageSubjects } from "./stages.ts";
import { storageSubjects } from "./storage.ts";

/** Everything that is fuzzed. */
export const subjects: readonly Subject[] = [
  ...stageSubjects(),
  ...pipelineSubjects(),
  ...callSubjects(),
  ...framingSubjects(),
  ...providerSubjects(),
  ...encoderSubjects(),
  ...sessionSubjects(),
  ...storageSubjects(),
  ...forgedSubjects(),
  ...functionSubjects(),
] as unknown as readonly Subject[];
