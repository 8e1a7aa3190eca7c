import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { isStuck, placeOf, type ScrollSizes, scrolledTo, spaceOf } from "./scroll-range.ts";

const viewPx = 700;
const million: ScrollSizes = { contentPx: 34_000_000, viewPx };
const small: ScrollSizes = { contentPx: 340_000, viewPx };
const top = { contentTopPx: 0, spaceTopPx: 0 };
const lastTopOf = ({ contentPx }: ScrollSizes) => contentPx - viewPx;

describe("scrolling", () => {
  it("needs no tricks where the browser's space is large enough", () => {
    assert.equal(spaceOf(small), small.contentPx);
    for (const spaceTopPx of [0, 3, 900, 200_000, lastTopOf(small)]) {
      assert.deepEqual(scrolledTo(top, spaceTopPx, small), {
        spaceTopPx,
        contentTopPx: spaceTopPx,
      });
    }
  });

  it("moves content as far as the space for short ways", () => {
    const place = scrolledTo(
      placeOf(20_000_000, million),
      placeOf(20_000_000, million).spaceTopPx + 120,
      million,
    );
    assert.equal(place.contentTopPx, 20_000_120);
  });

  it("goes to the place in proportion for long ways, and to both ends", () => {
    const bottomPx = spaceOf(million) - viewPx;
    assert.equal(scrolledTo(top, bottomPx, million).contentTopPx, lastTopOf(million));
    const bottom = placeOf(lastTopOf(million), million);
    assert.deepEqual(bottom, { contentTopPx: lastTopOf(million), spaceTopPx: bottomPx });
    assert.deepEqual(scrolledTo(bottom, 0, million), top);
    const middle = scrolledTo(top, bottomPx / 2, million).contentTopPx;
    assert.ok(Math.abs(middle - lastTopOf(million) / 2) < 1);
  });

  it("reaches every row of any list by steps of the wheel, also where the space has ended", () => {
    const heights = fc.integer({ min: 0, max: 60_000_000 });
    const steps = fc.array(fc.integer({ min: -2000, max: 2000 }), { maxLength: 60 });
    fc.assert(
      fc.property(heights, heights, steps, (contentPx, startPx, ways) => {
        const sizes = { contentPx, viewPx };
        const bottomPx = Math.max(spaceOf(sizes) - viewPx, 0);
        let place = placeOf(startPx, sizes);
        for (const wayPx of ways) {
          const before = place;
          const spaceTopPx = Math.min(Math.max(before.spaceTopPx + wayPx, 0), bottomPx);
          place = scrolledTo(before, spaceTopPx, sizes);
          if (isStuck(place, sizes)) place = placeOf(place.contentTopPx, sizes);
          // Where the content has not ended, the reader can scroll on.
          const isAtTop = place.contentTopPx <= 0;
          const isAtBottom = place.contentTopPx >= contentPx - viewPx - 1;
          assert.ok(isAtTop || place.spaceTopPx > 0, "stuck at the top");
          assert.ok(isAtBottom || place.spaceTopPx < bottomPx, "stuck at the bottom");
        }
      }),
    );
  });

  it("keeps the content in place when the space is put in proportion", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: lastTopOf(million) }), (contentTopPx) => {
        assert.equal(placeOf(contentTopPx, million).contentTopPx, contentTopPx);
      }),
    );
  });
});
