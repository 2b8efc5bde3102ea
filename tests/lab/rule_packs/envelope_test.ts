import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { envelopeText, openEnvelope, sealPayload, UntrustedKeyError } from "../../../lib/lab/rule_packs/envelope.ts";
import { generateKeys, parsePublicKey, parseSigningKey, type PublicKey } from "../../../lib/lab/rule_packs/keys.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const trusted = (...keys: readonly PublicKey[]) => new Map(keys.map((key) => [key.id, key]));

async function sealed(payload = '{"a":1}') {
  const files = await generateKeys();
  const key = await parsePublicKey(files.public, "key.pub");
  const signer = await parseSigningKey(files.secret, "key");
  return { files, key, signer, envelope: await sealPayload(bytes(payload), signer) };
}

Deno.test("an envelope gives exactly the bytes that were signed, and the key", async () => {
  const { key, signer, envelope } = await sealed();
  assertEquals(signer.id, key.id);
  const opened = await openEnvelope(bytes(envelopeText({ ...envelope, recordings: "r\n" })), trusted(key));
  assertEquals(new TextDecoder().decode(opened.payload), '{"a":1}');
  assertEquals([opened.key, opened.recordings], [key, "r\n"]);
});

Deno.test("one changed byte anywhere in the payload, and another signature, are refused", async () => {
  const { key, envelope } = await sealed();
  const open = (changed: typeof envelope) => openEnvelope(bytes(envelopeText(changed)), trusted(key));
  for (let at = 0; at < envelope.payload.length; at++) {
    const payload = envelope.payload.slice();
    payload[at]! ^= 1;
    await assertRejects(() => open({ ...envelope, payload }), Error, "its signature is wrong");
  }
  const other = await sealed('{"a":2}');
  const sig = other.envelope.signatures[0]!.sig;
  await assertRejects(
    () => open({ ...envelope, signatures: [{ keyid: key.id, sig }] }),
    Error,
    "its signature is wrong",
  );
});

Deno.test("a key that is not trusted signs nothing, also under the id of one that is", async () => {
  const { key, envelope } = await sealed();
  const other = await sealed();
  const open = (keys: ReadonlyMap<string, PublicKey>, text = envelopeText(envelope)) => openEnvelope(bytes(text), keys);
  const error = await assertRejects(() => open(trusted(other.key)), UntrustedKeyError);
  assertStringIncludes(error.message, key.id);
  const claimed = other.envelope.signatures.map(({ sig }) => ({ keyid: key.id, sig }));
  await assertRejects(
    () => open(trusted(key), envelopeText({ ...other.envelope, signatures: claimed })),
    Error,
    "its signature is wrong",
  );
});

Deno.test("of several signatures, one of a trusted key is enough", async () => {
  const first = await sealed();
  const second = await sealPayload(first.envelope.payload, (await sealed()).signer);
  const both = { ...first.envelope, signatures: [...second.signatures, ...first.envelope.signatures] };
  assertEquals((await openEnvelope(bytes(envelopeText(both)), trusted(first.key))).key, first.key);
});

Deno.test("a signature holds for the type of what it signs", async () => {
  const { key, signer, envelope } = await sealed();
  const plain = new Uint8Array(await crypto.subtle.sign("Ed25519", signer.secret, envelope.payload));
  const signatures = [{ keyid: key.id, sig: plain.toBase64() }];
  await assertRejects(
    () => openEnvelope(bytes(envelopeText({ ...envelope, signatures })), trusted(key)),
    Error,
    "its signature is wrong",
  );
});

Deno.test("what is no envelope is refused", async () => {
  const { key, envelope } = await sealed();
  const value = JSON.parse(envelopeText(envelope));
  const wrong: readonly (readonly [unknown, string])[] = [
    ["{", "it is not a pack of rules"],
    [[], "it is not a pack of rules"],
    [{ ...value, payloadType: "application/json" }, "it is not a pack of rules"],
    [{ ...value, payload: 1 }, "it is not a signed pack of rules"],
    [{ ...value, payload: "%" }, "its payload is not base64"],
    [{ ...value, signatures: [] }, "it is not a signed pack of rules"],
    [{ ...value, signatures: [{ keyid: "../x", sig: "" }] }, "a signature names no key"],
    [{ ...value, signatures: Array(9).fill(value.signatures[0]) }, "it has more than 8 signatures"],
    [{ ...value, recordings: {} }, "it is not a signed pack of rules"],
    [{ ...value, signatures: [{ keyid: key.id, sig: "%" }] }, "its signature is not base64"],
  ];
  for (const [made, message] of wrong) {
    const text = typeof made === "string" ? made : JSON.stringify(made);
    await assertRejects(() => openEnvelope(bytes(text), trusted(key)), Error, message);
  }
});

Deno.test("a key file holds a key of its kind, and nothing else", async () => {
  const { files } = await sealed();
  await assertRejects(() => parsePublicKey(files.secret, "k"), Error, "Cannot use k as a public key");
  await assertRejects(() => parseSigningKey(files.public, "k"), Error, "Cannot use k as a secret key");
  await assertRejects(() => parsePublicKey(`${files.public}${files.public}`, "k"), Error, "Cannot use k");
  const p256 = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign", "verify"]);
  const spki = new Uint8Array(await crypto.subtle.exportKey("spki", p256.publicKey)).toBase64();
  const pem = `-----BEGIN PUBLIC KEY-----\n${spki}\n-----END PUBLIC KEY-----\n`;
  await assertRejects(() => parsePublicKey(pem, "k"), Error, "it is not an Ed25519 key");
});
