import type { PasskeyCreation } from "@envkeep/contract"
import { authenticator } from "@envkeep/testing/passkeys.ts"
import { onTestFinished } from "vitest"

/** What the library passes to the browser: the texts of the server's answer as bytes. */
interface Asked {
  publicKey: Pick<PasskeyCreation, "rp"> & {
    user: Omit<PasskeyCreation["user"], "id"> & { id: ArrayBuffer }
    challenge: ArrayBuffer
  }
}

/** Until the test is over, the browser makes a passkey of a new device whenever it is asked for one. */
export function withPasskeyDevices(): void {
  Object.defineProperty(globalThis, "PublicKeyCredential", { value: class {}, configurable: true })
  Object.defineProperty(navigator, "credentials", { value: { create }, configurable: true })
  onTestFinished(() => {
    Reflect.deleteProperty(globalThis, "PublicKeyCredential")
    Reflect.deleteProperty(navigator, "credentials")
  })
}

async function create({ publicKey: { rp, user, challenge } }: Asked) {
  const asked = { rp, user: { ...user, id: textOf(user.id) }, challenge: textOf(challenge) }
  const { id, type, response } = authenticator().create(asked)
  return {
    id,
    rawId: bytesOf(id),
    type,
    response: {
      clientDataJSON: bytesOf(response.clientDataJSON),
      attestationObject: bytesOf(response.attestationObject),
      getTransports: () => response.transports,
    },
    getClientExtensionResults: () => ({}),
  }
}

function textOf(bytes: ArrayBuffer): string {
  return Buffer.from(bytes).toString("base64url")
}

function bytesOf(text: string): ArrayBuffer {
  return Uint8Array.from(Buffer.from(text, "base64url")).buffer
}
