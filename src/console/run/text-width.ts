/** Text widths, estimated without measuring each text on the page. */

export interface TextWidths {
  /** Whether the text fits the width; false when unknown. */
  fits(text: string, pixels: number): boolean;
}

const firstCharacter = 32;
const lastCharacter = 126;

/**
 * @param font CSS font.
 * @returns widths from those of single ASCII characters, with all digits as wide as the widest.
 */
export function openTextWidths(font: string): TextWidths {
  const context = document.createElement('canvas').getContext('2d');
  const widths: number[] = [];
  if (context !== null) {
    context.font = font;
    for (let code = firstCharacter; code <= lastCharacter; code += 1)
      widths.push(context.measureText(String.fromCharCode(code)).width);
    const digits = widths.slice(48 - firstCharacter, 58 - firstCharacter);
    widths.splice(48 - firstCharacter, 10, ...digits.map(() => Math.max(...digits)));
  }
  return {
    fits(text, pixels) {
      // Each character takes at least a pixel.
      if (text.length > pixels) return false;
      let left = pixels;
      for (let at = 0; at < text.length; at += 1) {
        const width = widths[text.charCodeAt(at) - firstCharacter];
        if (width === undefined) return false;
        left -= width;
      }
      return left >= 0;
    },
  };
}
