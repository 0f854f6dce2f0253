/** The charsets among a media type's parameters, such as `charset="utf-8"`. Takes linear time, unlike a pattern. */
export function charsetsOf(parameters: readonly string[]): readonly string[] {
  return parameters.flatMap((parameter) => {
    const [name = '', ...value] = parameter.split('=');
    if (name.trim().toLowerCase() !== 'charset' || value.length === 0) return [];
    const text = value.join('=').trim();
    return [text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text];
  });
}
