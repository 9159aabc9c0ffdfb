/**
 * What models end a message or a turn with. It may stand right behind a call
 * that has to be alone on its line, or to be the whole message, and stays text.
 */
export const STOP_WORDS: readonly string[] = [
  "<|im_end|>",
  "<|eot_id|>",
  "<|eom_id|>",
  "<|eot|>",
  "<|eom|>",
  "<|end|>",
  "<|return|>",
  "<|endoftext|>",
  "<|end_of_text|>",
  "<|end_of_turn|>",
  "<|END_OF_TURN_TOKEN|>",
  "<|observation|>",
  "<|user|>",
  "<end_of_turn>",
  "<turn|>",
  "<eos>",
  "</s>",
  "<\uff5cend\u2581of\u2581sentence\uff5c>",
  "<seed:eos>",
  "[e~[",
];
