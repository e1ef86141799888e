// tokens is the measure of the comparison: a quarter of the characters, rounded up.
export const tokens = (text) => Math.ceil(text.length / 4);
