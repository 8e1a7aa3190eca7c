/** Small valid files of the kinds that the page previews, made of nothing but numbers. */
import { crc32, deflateSync } from "node:zlib";

const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** A PNG of a landscape at some hour. Its colours depend on the seed. */
export function samplePng(seed: number, width = 640, height = 400): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // 8 bits a sample, red, green and blue.
  header.set([8, 2, 0, 0, 0], 8);
  const rows = Array.from({ length: height }, (_, y) => landscapeRow(seed, y / height, width));
  return Buffer.concat([
    pngSignature,
    pngChunk("IHDR", header),
    pngChunk("IDAT", deflateSync(Buffer.concat(rows))),
    pngChunk("IEND", Buffer.alloc(0)),
  ]);
}

/** One row of pixels, after the byte that says that it is not filtered. */
function landscapeRow(seed: number, height: number, width: number): Buffer {
  const row = Buffer.alloc(1 + width * 3);
  for (let x = 0; x < width; x++) {
    const place = (x / width) * 6 + seed;
    const ridge = 0.62 + 0.08 * Math.sin(place) + 0.04 * Math.sin(place * 2.7);
    const hill = 0.8 + 0.06 * Math.sin(place * 1.3 + 2);
    const dusk = (Math.sin(seed * 1.7) + 1) / 2;
    const sky = [90 + 140 * height + 40 * dusk, 140 + 60 * height - 30 * dusk, 215 - 60 * dusk];
    const far = [70 + 30 * dusk, 95, 120];
    const near = [40, 80 + 20 * dusk, 60];
    const behindHill = height > ridge ? far : sky;
    row.set(
      (height > hill ? near : behindHill).map((sample) => Math.min(255, Math.round(sample))),
      1 + x * 3,
    );
  }
  return row;
}

function pngChunk(type: string, data: Buffer): Buffer {
  const content = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.byteLength);
  checksum.writeUInt32BE(crc32(content));
  return Buffer.concat([length, content, checksum]);
}

const samplesPerSecond = 8000;

/** A WAV file of one tone. */
export function sampleWav(hertz: number, seconds = 2): Buffer {
  const samples = Buffer.alloc(samplesPerSecond * seconds);
  for (const index of samples.keys()) {
    const phase = (2 * Math.PI * hertz * index) / samplesPerSecond;
    samples[index] = 128 + Math.round(60 * Math.sin(phase));
  }
  const header = Buffer.alloc(44);
  header.write("RIFF", 0, "latin1");
  header.writeUInt32LE(36 + samples.byteLength, 4);
  header.write("WAVEfmt ", 8, "latin1");
  header.writeUInt32LE(16, 16);
  // PCM, one channel, a byte a sample.
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(samplesPerSecond, 24);
  header.writeUInt32LE(samplesPerSecond, 28);
  header.writeUInt16LE(1, 32);
  header.writeUInt16LE(8, 34);
  header.write("data", 36, "latin1");
  header.writeUInt32LE(samples.byteLength, 40);
  return Buffer.concat([header, samples]);
}

/** A PDF of one page with these lines, in Latin letters. */
export function samplePdf(lines: readonly string[]): Buffer {
  const shown = lines.map((line) => `(${line.replace(/[\\()]/g, "\\$&")}) Tj T*`).join("\n");
  const content = `BT /F1 24 Tf 30 TL 72 740 Td\n${shown}\nET`;
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R " +
      "/Resources << /Font << /F1 5 0 R >> >> >>",
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
  ];
  let text = "%PDF-1.4\n";
  const offsets = objects.map((object, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const rows = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`);
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows.join("")}`;
  const trailer = `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>`;
  return Buffer.from(`${text}${table}${trailer}\nstartxref\n${text.length}\n%%EOF\n`, "latin1");
}
