// A native range with its name and its value; the value follows the drag.

let SLIDERS = 0;

// options: {label, min, max, step, show(value), onInput(value)}; returns {element, input, set(value), range(min, max)}
function slider({ label, min, max, step = 1, show = String, onInput }) {
  const element = make("div", "gf-slider"), head = make("div", "gf-slider-head");
  const name = make("label", "gf-slider-name", label), out = make("output", "gf-slider-value");
  const input = make("input", "gf-range");
  SLIDERS += 1;
  input.id = `gf-slider-${SLIDERS}`;
  name.htmlFor = input.id;
  Object.assign(input, { type: "range", min, max, step });
  head.append(name, out);
  element.append(head, input);
  const paint = () => {
    const value = Number(input.value), span = input.max - input.min;
    out.textContent = show(value);
    input.style.setProperty("--at", span > 0 ? (value - input.min) / span : 0);
    input.setAttribute("aria-valuetext", out.textContent);
  };
  input.addEventListener("input", () => { paint(); onInput(Number(input.value)); });
  return {
    element, input, paint,
    set(value) { if (Number(input.value) !== value) input.value = value; paint(); },
    range(low, high) { input.min = low; input.max = high; input.disabled = high <= low; paint(); },
    name(text) { name.textContent = text; },
  };
}

// a range whose pointer works on a logarithmic scale while its keys step by one
function logarithmic(control) {
  const { input } = control;
  const toPlace = (value) => Math.log1p(value) / Math.log1p(Number(input.max));
  const toValue = (place) => Math.round(Math.expm1(place * Math.log1p(Number(input.max))));
  const plain = control.paint;
  const repaint = () => input.style.setProperty("--at", Number(input.max) > 0 ? toPlace(Number(input.value)) : 0);
  input.classList.add("gf-log");
  const move = (event) => {
    const box = input.getBoundingClientRect(), knob = 18;
    const place = Math.min(1, Math.max(0, (event.clientX - box.left - knob / 2) / (box.width - knob)));
    input.value = toValue(place);
    input.dispatchEvent(new Event("input", { bubbles: true }));
  };
  input.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    event.preventDefault();
    input.focus({ preventScroll: true });
    input.setPointerCapture(event.pointerId);
    move(event);
  });
  input.addEventListener("mousedown", (event) => event.preventDefault());
  input.addEventListener("pointermove", (event) => { if (input.hasPointerCapture(event.pointerId)) move(event); });
  input.addEventListener("input", repaint);
  const set = control.set, range = control.range;
  control.set = (value) => { set(value); repaint(); };
  control.range = (low, high) => { range(low, high); repaint(); };
  control.paint = () => { plain(); repaint(); };
  return control;
}
