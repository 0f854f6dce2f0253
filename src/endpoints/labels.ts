import { invalidInput } from '../errors/service-error.ts';
import { requireStorableText } from '../sql/storable-text.ts';

const maxLabels = 20;
const maxLabelLength = 255;

/** The labels of an endpoint, sorted and without duplicates. Throws `invalid_input` naming `tags`, the legacy name of the member. */
export function parseLabels(given: readonly string[]): readonly string[] {
  const labels = [...new Set(given)].sort();
  if (labels.length > maxLabels) {
    throw invalidInput('tags', `An endpoint may have at most ${maxLabels} tags.`);
  }
  for (const label of labels) {
    const isFit = label.length <= maxLabelLength && label !== '' && label === label.trim();
    if (!isFit || label.includes(',')) {
      throw invalidInput(
        'tags',
        `A tag must have 1 to ${maxLabelLength} characters, without commas and without leading or trailing spaces.`,
      );
    }
    requireStorableText(label, 'tags');
  }
  return labels;
}
