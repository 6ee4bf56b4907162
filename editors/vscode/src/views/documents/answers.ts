/** What a language model made of what is remembered. */

import type { SynthesizeResult } from "keepgate-client";

import { named, oneLine } from "../../text/visible.js";
import { document, quoted, section, table } from "./layout.js";

/** The answer, what it stands on, and what it leaves open. */
export function answerDocument(question: string, result: SynthesizeResult): string {
  const quotes = result.synthesis_status === "extractive_fallback";
  const list = (title: string, items: readonly string[]): string =>
    items.length === 0 ? "" : section(title, items.map((item) => `- ${item}`).join("\n"));
  const { model, input_tokens: sent, output_tokens: received } = result.cost;
  return document(
    "Answer from memory",
    quoted(question),
    quotes ? "The model gave no usable answer. These are the passages that match:" : "",
    quoted(result.answer),
    list("Pages it stands on", result.sources.map(named)),
    list("What it leaves open", result.gaps.map(oneLine)),
    list("Warnings", result.warnings.map(oneLine)),
    table([
      ["model", named(model)],
      ["tokens", sent === null || received === null ? null : `${sent} sent, ${received} received`],
      ["looked at", `${result.pages_gathered} pages, ${result.takes_gathered} facts`],
    ]),
  );
}
