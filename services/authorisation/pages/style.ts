/** The style of the pages: for any screen, light and dark, without anything to load. */
export const style = `
:root { color-scheme: light dark; --text: #1b1f24; --quiet: #4d5761; --ground: #f3f4f6;
  --card: #fff; --line: #6b7580; --accent: #0b5cad; --on-accent: #fff; --bad: #b3261e }
@media (prefers-color-scheme: dark) { :root { --text: #e8eaed; --quiet: #b4bcc4; --ground: #14171a;
  --card: #1f2429; --line: #8d979f; --accent: #8ab8f0; --on-accent: #0d1b2a; --bad: #ff9d94 } }
* { box-sizing: border-box }
body { margin: 0; padding: 1.5rem 1rem; background: var(--ground); color: var(--text);
  font: 1rem/1.5 system-ui, "Liberation Sans", sans-serif }
main { max-width: 27rem; margin: 6vh auto 0; padding: 2rem; background: var(--card);
  border-radius: .75rem; box-shadow: 0 1px 4px rgb(0 0 0 / .2); overflow-wrap: anywhere }
h1 { margin: 0 0 .25rem; font-size: 1.6rem; line-height: 1.25 }
h2 { margin: 1.5rem 0 .25rem; font-size: 1rem }
p { margin: 0 0 1rem }
.quiet { color: var(--quiet) }
.code { font: 700 1.75rem/1.2 ui-monospace, "Liberation Mono", monospace; letter-spacing: .08em }
.after { margin-top: 1rem }
ul { margin: 0; padding-left: 1.2rem }
li { margin: .25rem 0 }
.rows { padding: 0; list-style: none }
.rows > li { margin: .75rem 0; padding: .75rem 0; border-bottom: 1px solid var(--line) }
.rows p { margin: 0 0 .5rem }
.rows ul { margin: 0 0 .5rem }
label { display: block; margin-top: 1rem; font-weight: 600 }
input { width: 100%; margin-top: .25rem; padding: .6rem .7rem; font: inherit; color: inherit;
  background: var(--card); border: 1px solid var(--line); border-radius: .4rem }
input[aria-invalid] { border: 2px solid var(--bad) }
.buttons { display: flex; flex-wrap: wrap; gap: .75rem; margin-top: 1.75rem }
button { flex: 1 1 8rem; padding: .65rem 1rem; font: inherit; font-weight: 600; cursor: pointer;
  border: 1px solid var(--accent); border-radius: .4rem; background: var(--accent);
  color: var(--on-accent) }
button.second { background: transparent; color: var(--accent) }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
.problem { margin: 1rem 0 0; padding: .75rem 1rem; border-left: .3rem solid var(--bad);
  background: color-mix(in srgb, var(--bad) 10%, transparent) }
.problem h2 { margin: 0; color: var(--bad) }
.problem p { margin: .25rem 0 0 }
.problem a { color: inherit }
`;
