// Colours, ramps and canvases: everything that depends on the theme or on the screen.

const TO_LMS = [[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566], [0.0883024619, 0.2817188376, 0.6299787005]];
const TO_LAB = [[0.2104542553, 0.793617785, -0.0040720468], [1.9779984951, -2.428592205, 0.4505937099], [0.0259040371, 0.7827717662, -0.808675766]];
const FROM_LAB = [[1, 0.3963377774, 0.2158037573], [1, -0.1055613458, -0.0638541728], [1, -0.0894841775, -1.291485548]];
const FROM_LMS = [[4.0767416621, -3.3077115913, 0.2309699292], [-1.2684380046, 2.6097574011, -0.3413193965], [-0.0041960863, -0.7034186147, 1.707614701]];

function times(matrix, v) {
  return matrix.map((row) => row[0] * v[0] + row[1] * v[1] + row[2] * v[2]);
}

function channels(color) {
  const hex = color.trim();
  if (hex.startsWith("#")) {
    const wide = hex.length < 7 ? hex.slice(1).replace(/./g, "$&$&") : hex.slice(1);
    return [0, 2, 4].map((i) => parseInt(wide.slice(i, i + 2), 16));
  }
  return (hex.match(/[\d.]+/g) || [255, 255, 255]).slice(0, 3).map(Number);
}

function oklab(color) {
  const linear = channels(color).map((c) => c / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  return times(TO_LAB, times(TO_LMS, linear).map(Math.cbrt));
}

function ramp(stops) {
  const labs = stops.map(oklab), table = new Uint32Array(256); // little-endian RGBA
  for (let i = 0; i < 256; i += 1) {
    const at = (i / 255) * (labs.length - 1), low = Math.min(Math.floor(at), labs.length - 2), t = at - low;
    const lab = labs[low].map((v, c) => v + t * (labs[low + 1][c] - v));
    const rgb = times(FROM_LMS, times(FROM_LAB, lab).map((v) => v ** 3)).map((c) => Math.min(1, Math.max(0, c)))
      .map((c) => Math.round(255 * (c <= 0.0031308 ? c * 12.92 : 1.055 * c ** (1 / 2.4) - 0.055)));
    table[i] = (255 << 24) | (rgb[2] << 16) | (rgb[1] << 8) | rgb[0];
  }
  return table;
}

function css(entry) {
  return `rgb(${entry & 255},${(entry >> 8) & 255},${(entry >> 16) & 255})`;
}

function inkOn(entry) {
  const light = 0.299 * (entry & 255) + 0.587 * ((entry >> 8) & 255) + 0.114 * ((entry >> 16) & 255);
  return light > 140 ? "#1F2430" : "#FFFFFF";
}

const LOOKS = new Map();

// the palette for the page's own background; sets it on the component for the style sheet
function look(root) {
  const style = getComputedStyle(root);
  const background = style.getPropertyValue("--st-background-color") || "#FBFAF7";
  const primary = style.getPropertyValue("--st-primary-color") || "";
  const id = background + primary;
  let found = LOOKS.get(id);
  if (!found) {
    const mode = oklab(background)[0] < 0.5 ? "dark" : "light", palette = PALETTES[mode];
    found = { ...palette, mode, id, background, accent: primary.trim() || palette.accent };
    found.weights = ramp(palette.sequential);
    found.scores = ramp(palette.diverging);
    LOOKS.set(id, found);
  }
  if (root.dataset.look !== id) {
    root.dataset.look = id;
    root.dataset.mode = found.mode;
    for (const name of ["background", "surface", "ink", "muted", "accent", "amber", "hairline"]) root.style.setProperty(`--gf-${name}`, found[name]);
  }
  found.font = style.fontFamily;
  return found;
}

// a canvas of w x h CSS pixels, sharp on any screen; returns its context, cleared
function fit(canvas, w, h) {
  const scale = window.devicePixelRatio || 1, W = Math.round(w * scale), H = Math.round(h * scale);
  if (canvas.width !== W || canvas.height !== H) {
    canvas.width = W;
    canvas.height = H;
    canvas.style.width = `${w}px`;
    canvas.style.height = `${h}px`;
  }
  const ctx = canvas.getContext("2d");
  ctx.setTransform(1, 0, 0, 1, 0, 0);
  ctx.clearRect(0, 0, W, H);
  ctx.setTransform(scale, 0, 0, scale, 0, 0);
  return ctx;
}
