/** A photograph of a fjord at dawn, as far as a page of gradients can be one. */
import type { Browser } from "playwright-core";

const width = 1200;
const height = 800;
const shore = 560;

/** The ranges from the farthest: height of the ridge, steepness, colour. */
const ranges = [
  { ridge: 330, rise: 60, colour: "#a98ca3" },
  { ridge: 390, rise: 90, colour: "#7d7391" },
  { ridge: 450, rise: 120, colour: "#54597a" },
  { ridge: 520, rise: 150, colour: "#2f3d57" },
];

/** The bytes of a JPEG, drawn by the browser. */
export async function drawFjord(browser: Browser): Promise<Buffer> {
  await using page = await browser.newPage({ viewport: { width, height } });
  await page.setContent(`<style>body { margin: 0 }</style>${fjord()}`);
  return await page.screenshot({ type: "jpeg", quality: 85 });
}

function fjord(): string {
  const land = ranges.map(({ colour, ...range }, index) => {
    return `<polygon points="${ridgeLine(range, index)}" fill="${colour}"/>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
    <defs>
      <linearGradient id="sky" x2="0" y2="1">
        <stop offset="0" stop-color="#44597f"/><stop offset=".45" stop-color="#d59a94"/>
        <stop offset=".65" stop-color="#fbd9a5"/>
      </linearGradient>
      <radialGradient id="sun">
        <stop offset="0" stop-color="#fff4d2"/><stop offset=".12" stop-color="#ffe3a8"/>
        <stop offset="1" stop-color="#ffd08a" stop-opacity="0"/>
      </radialGradient>
      <filter id="ripples">
        <feTurbulence type="fractalNoise" baseFrequency=".004 .09" numOctaves="3" seed="4"/>
        <feDisplacementMap in="SourceGraphic" scale="46"/>
        <feGaussianBlur stdDeviation="2 .6"/>
      </filter>
      <g id="above">
        <rect width="${width}" height="${shore}" fill="url(#sky)"/>
        <circle cx="640" cy="360" r="330" fill="url(#sun)"/>${land.join("")}
      </g>
    </defs>
    <use href="#above"/>
    <rect y="${shore}" width="${width}" height="${height - shore}" fill="#2a3550"/>
    <g filter="url(#ripples)">
      <use href="#above" transform="translate(0 ${2 * shore}) scale(1 -1)"/>
      <rect y="${shore}" width="${width}" height="${height - shore}" fill="#16263d" opacity=".45"/>
    </g>
  </svg>`;
}

/** Mountains on both sides of the water, lower in the middle. */
function ridgeLine({ ridge, rise }: { ridge: number; rise: number }, seed: number): string {
  const points = Array.from({ length: width / 6 + 1 }, (_, index) => {
    const side = Math.abs(index / (width / 12) - 1);
    const jags = [0.045, 0.11, 0.31, 0.83].map((frequency, octave) => {
      return Math.sin(index * frequency + seed * 7 + octave * 3) / (octave + 1.5);
    });
    const peak = jags.reduce((sum, jag) => sum + jag, 1.2) * 0.5;
    const down = Math.min(shore, ridge + 90 - rise * (side * 1.9 + peak * 0.6));
    return `${index * 6},${Math.round(down)}`;
  });
  return `0,${shore} ${points.join(" ")} ${width},${shore}`;
}
