// Words and tokens. Token text only ever becomes a text node or canvas text.

function make(tag, className, text) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
}

// "{a} reads {b}" as one string, for labels and titles
function filled(template, values) {
  return template.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

// the same as nodes: values that are objects {token} become isolated spans
function write(element, template, values) {
  const nodes = template.split(/(\{\w+\})/).filter((part) => part).map((part) => {
    const value = part.startsWith("{") ? values[part.slice(1, -1)] : undefined;
    if (value === undefined) return document.createTextNode(part);
    if (typeof value !== "object") return document.createTextNode(String(value));
    const span = make("bdi", value.className || "gf-token", value.token);
    if (value.index === undefined) return span;
    const group = make("span", "gf-named");
    group.append(span, make("span", "gf-index", `#${value.index}`));
    return group;
  });
  element.replaceChildren(...nodes);
}

function named(label, index) {
  return { token: shortened(label.text, 24), index };
}

const LETTERS = typeof Intl !== "undefined" && Intl.Segmenter ? new Intl.Segmenter() : null;

function letters(text) {
  return LETTERS ? Array.from(LETTERS.segment(text), (part) => part.segment) : Array.from(text);
}

function shortened(text, most) {
  if (text.length <= most) return text;
  const parts = letters(text);
  return parts.length <= most ? text : `${parts.slice(0, most - 1).join("")}…`;
}

// the longest beginning of `text` that fits into `width` pixels of `ctx`, with an ellipsis
function fitted(ctx, text, width) {
  if (ctx.measureText(text).width <= width) return text;
  const parts = letters(text.length > 200 ? text.slice(0, 200) : text);
  let low = 0, high = parts.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (ctx.measureText(`${parts.slice(0, middle).join("")}…`).width <= width) low = middle; else high = middle - 1;
  }
  return `${parts.slice(0, low).join("")}…`;
}

function weightText(value) {
  return value.toFixed(4);
}

function shortNumber(value) {
  const size = Math.abs(value);
  if (size >= 100) return value.toFixed(0);
  if (size >= 10) return value.toFixed(1);
  return value.toFixed(2);
}

function percent(p) {
  const share = 100 * p;
  if (p <= 0) return "0 %";
  if (share >= 0.95) return `${share.toFixed(1)} %`;
  if (share >= 0.095) return `${share.toFixed(2)} %`;
  if (share >= 0.0001) return `${share.toPrecision(1)} %`;
  return "< 0.0001 %";
}
