/** A stored passkey that is listed, and that no device answers with. */
export function passkeyRow(userId: number, name: string) {
  return {
    user_id: userId,
    name,
    credential_id: name,
    public_key: "",
    user_handle: "",
    counter: 0,
    transports: "",
    aaguid: "",
    host: location.hostname,
    is_multi_device: 0,
    is_backed_up: 0,
    created_at: Date.parse("2026-03-01T12:00:00Z"),
    last_used_at: null,
  }
}
