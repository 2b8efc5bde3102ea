import { joinBytes } from "../../base/ports/bytes.ts";
import { isObject, listOf, object, orMissing, present, text, type ValueOf } from "../../base/schema.ts";
import { isSignedBy, type PublicKey, sign, type SigningKey } from "./keys.ts";

/** The type that is signed with the payload, so that no signature of something else fits a pack of rules. */
const PAYLOAD_TYPE = "application/vnd.panewright.rules+json";

const MAX_SIGNATURES = 8;

const isSignature = object({ keyid: text, sig: text });
const isSignatureList = listOf(isSignature);

export interface Envelope {
  readonly payload: Uint8Array<ArrayBuffer>;
  readonly signatures: readonly ValueOf<typeof isSignature>[];
  /**
   * The recordings, a JSON object a line. They are signed by their hash in the payload, so that a run need not read
   * them. Missing in the envelope of a pack that is installed, which has them in a file of their own.
   */
  readonly recordings?: string;
}

interface OpenedEnvelope extends Envelope {
  readonly key: PublicKey;
}

export async function sealPayload(payload: Uint8Array<ArrayBuffer>, key: SigningKey): Promise<Envelope> {
  const signature = await sign(signedBytes(payload), key);
  return { payload, signatures: [{ keyid: key.id, sig: signature.toBase64() }] };
}

/**
 * An envelope as text, as DSSE has it (https://github.com/secure-systems-lab/dsse), with the recordings besides: the
 * payload travels as base64, so that exactly the bytes are signed that are read.
 */
export function envelopeText({ payload, signatures, recordings }: Envelope): string {
  const envelope = { payloadType: PAYLOAD_TYPE, payload: payload.toBase64(), signatures, recordings };
  return `${JSON.stringify(envelope)}\n`;
}

export async function openEnvelope(
  bytes: Uint8Array<ArrayBuffer>,
  keys: ReadonlyMap<string, PublicKey>,
): Promise<OpenedEnvelope> {
  const envelope = parseEnvelope(bytes);
  const { payload, signatures } = envelope;
  const known = signatures.flatMap(({ keyid, sig }) => {
    const key = keys.get(keyid);
    return key === undefined ? [] : [{ key, sig }];
  });
  if (known.length === 0) throw new UntrustedKeyError(signatures.map(({ keyid }) => keyid));
  for (const { key, sig } of known) {
    const signature = fromBase64(sig, "its signature");
    if (await isSignedBy(signedBytes(payload), { signature, key })) return { ...envelope, key };
  }
  throw new Error("its signature is wrong: it was changed after it was signed");
}

export class UntrustedKeyError extends Error {
  override name = "UntrustedKeyError";

  constructor(readonly ids: readonly string[]) {
    super(`you do not trust the key that signed it (${ids.join(", ")})`);
  }
}

function parseEnvelope(bytes: Uint8Array<ArrayBuffer>): Envelope {
  let envelope: unknown;
  try {
    envelope = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new Error("it is not a pack of rules", { cause });
  }
  if (!isObject(envelope) || envelope["payloadType"] !== PAYLOAD_TYPE) throw new Error("it is not a pack of rules");
  const { payload, signatures, recordings } = envelope;
  if (!text(payload) || !isSignatureList(signatures) || signatures.length === 0 || !orMissing(text)(recordings)) {
    throw new Error("it is not a signed pack of rules");
  }
  if (signatures.length > MAX_SIGNATURES) throw new Error(`it has more than ${MAX_SIGNATURES} signatures`);
  const odd = signatures.find(({ keyid }) => !/^[0-9a-f]{32}$/.test(keyid));
  if (odd !== undefined) throw new Error("a signature names no key");
  return {
    payload: fromBase64(payload, "its payload"),
    signatures: signatures.map(({ keyid, sig }) => ({ keyid, sig })),
    ...present({ recordings }),
  };
}

/** DSSE's encoding of what is signed: type and payload, each with its length. */
function signedBytes(payload: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const head = `DSSEv1 ${PAYLOAD_TYPE.length} ${PAYLOAD_TYPE} ${payload.length} `;
  return joinBytes([new TextEncoder().encode(head), payload]);
}

function fromBase64(value: string, what: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.fromBase64(value);
  } catch (cause) {
    throw new Error(`${what} is not base64`, { cause });
  }
}
