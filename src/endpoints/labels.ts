import { invalidInput } from '../errors/service-error.ts';
import { requireStorableText } from '../sql/storable-text.ts';

const maxLabels = 20;
const maxLabelLength = 255;

/** The labels of an endpoint, sorted and each once. Throws `invalid_input`, naming `tags`, the kept name of the member. */
export function parseLabels(given: readonly string[]): readonly string[] {
  const labels = [...new Set(given)].sort();
  if (labels.length > maxLabels) {
    throw invalidInput('tags', `An endpoint has at most ${maxLabels} tags.`);
  }
  for (const label of labels) {
    const isFit = label.length <= maxLabelLength && label !== '' && label === label.trim();
    if (!isFit || label.includes(',')) {
      throw invalidInput(
        'tags',
        `A tag has 1 to ${maxLabelLength} characters, no comma, and no space at either end.`,
      );
    }
    requireStorableText(label, 'tags');
  }
  return labels;
}
