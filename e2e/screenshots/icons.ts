import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { chromium } from "@playwright/test"
import { browser as settings } from "../browser.ts"

// Draws what browsers and chat programs show of us, from favicon.svg: `node e2e/screenshots/icons.ts`. The files are kept
// beside it, because a build has no browser.

const folder = join(import.meta.dirname, "../../web/public")
const logo = await readFile(join(folder, "favicon.svg"), "utf8")
const browser = await chromium.launch(settings.launchOptions)

const icoSizes = [16, 32, 48]
const images = []
for (const size of icoSizes) images.push(await draw(logoOf(size), { width: size, height: size }))
await write("favicon.ico", icoOf(images))

// On a phone, an icon may be cut to any shape: the outer tenth on each side is only ground.
for (const size of [192, 512]) {
  const ground = `<div style="width:100vw;height:100vh;display:grid;place-items:center;background:#fff">`
  await write(`icon-${size}.png`, await draw(`${ground}${logoOf(size * 0.68)}</div>`, { width: size, height: size }))
}

const card = `<div style="box-sizing:border-box;width:100vw;height:100vh;padding:84px 88px;background:#f5f8f9;color:#131a1d;
    display:flex;flex-direction:column;border-bottom:14px solid #0a6470;font-family:Inter,'Liberation Sans',Arial,sans-serif">
  <div style="display:flex;align-items:center;gap:22px;font-size:44px;font-weight:700;letter-spacing:-.02em">
    ${logoOf(68)}envkeep</div>
  <div style="margin-top:64px;font-size:70px;line-height:1.12;font-weight:700;letter-spacing:-.03em;max-width:980px">
    Environment variables, kept in one place</div>
  <div style="margin-top:auto;font:34px 'Liberation Mono',monospace;color:#0a6470">$ envkeep run -- npm start</div>
</div>`
await write("card.png", await draw(card, { width: 1200, height: 630 }))
await browser.close()

function logoOf(size: number): string {
  return logo.replace("<svg", `<svg width="${size}" height="${size}"`)
}

async function draw(html: string, viewport: { width: number; height: number }): Promise<Buffer> {
  const page = await browser.newPage({ viewport })
  await page.setContent(`<style>body{margin:0}svg{display:block}</style>${html}`)
  const image = await page.screenshot({ omitBackground: true })
  await page.close()
  return image
}

/** The pictures of several sizes in one file, each of them a PNG as it is. */
function icoOf(pictures: Buffer[]): Buffer {
  const entryBytes = 16
  const head = Buffer.alloc(6 + entryBytes * pictures.length)
  head.writeUInt16LE(1, 2)
  head.writeUInt16LE(pictures.length, 4)
  let at = head.length
  for (const [index, picture] of pictures.entries()) {
    const entry = 6 + entryBytes * index
    const [width, height] = [picture.readUInt32BE(16), picture.readUInt32BE(20)]
    head.writeUInt8(width, entry)
    head.writeUInt8(height, entry + 1)
    head.writeUInt16LE(1, entry + 4)
    head.writeUInt16LE(32, entry + 6)
    head.writeUInt32LE(picture.length, entry + 8)
    head.writeUInt32LE(at, entry + 12)
    at += picture.length
  }
  return Buffer.concat([head, ...pictures])
}

async function write(name: string, bytes: Buffer): Promise<void> {
  await writeFile(join(folder, name), bytes)
}
