/** The functions that we use of the package `libsodium`. Numbers are addresses and lengths in its own memory. */
declare module "libsodium" {
  /** 64-bit lengths are passed in two halves, the lower one first. */
  interface Sodium {
    readonly HEAPU8: Uint8Array<ArrayBuffer>
    /** Below zero when it failed; 1 when it was done before. */
    _sodium_init(): number
    _malloc(bytes: number): number
    _free(address: number): void
    _crypto_aead_chacha20poly1305_ietf_encrypt(
      sealed: number,
      sealedLength: 0,
      content: number,
      contentLength: number,
      contentLengthHigh: 0,
      context: number,
      contextLength: number,
      contextLengthHigh: 0,
      unused: 0,
      nonce: number,
      key: number,
    ): number
    _crypto_aead_chacha20poly1305_ietf_decrypt(
      content: number,
      contentLength: 0,
      unused: 0,
      sealed: number,
      sealedLength: number,
      sealedLengthHigh: 0,
      context: number,
      contextLength: number,
      contextLengthHigh: 0,
      nonce: number,
      key: number,
    ): number
  }
  /** `getRandomValue` gives 32 random bits. */
  export default function load(module: { getRandomValue(): number }): Promise<Sodium>
}
