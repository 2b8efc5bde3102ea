import { assertEquals } from "@std/assert";
import { hostOfUrl, hostProblem, loopbackPorts } from "../../lib/sandbox/hosts.ts";

Deno.test("hosts that a sandbox can let through: names, with a port, with a star before a domain, addresses", () => {
  for (
    const host of [
      "example.org",
      "a-b.example.org:8443",
      "*.example.org",
      "packages",
      "10.0.0.7",
      "127.0.0.1:80",
      "[::1]:80",
    ]
  ) {
    assertEquals(hostProblem(host), undefined, host);
  }
});

Deno.test("what names no host, or too many, is refused with the reason", () => {
  const problems = {
    "https://example.org": "it is an address of a page: name its host alone",
    "example.org/path": "it is an address of a page: name its host alone",
    "example.org:0": '"0" is no port',
    "example.org:70000": '"70000" is no port',
    "example.org:": '"" is no port',
    "*": "it stands for every host",
    "*.org": "it stands for every host",
    "": "it is no name of a host",
    "a b": "it is no name of a host",
    "evil.example\0.good.example": "it is no name of a host",
    "exa*mple.org": "it is no name of a host",
    localhost: "a host of this machine needs a port: its other ones stay shut",
    "127.0.0.1": "a host of this machine needs a port: its other ones stay shut",
  };
  for (const [host, problem] of Object.entries(problems)) assertEquals(hostProblem(host), problem, host);
});

Deno.test("ports of this machine are told apart from other hosts", () => {
  assertEquals(loopbackPorts(["example.org:1", "127.0.0.1:8080", "localhost:8080", "[::1]:9", "10.0.0.1:5"]), [
    8080,
    9,
  ]);
  assertEquals(hostOfUrl("https://api.example.org/v1"), "api.example.org:443");
  assertEquals(hostOfUrl("http://127.0.0.1:11434"), "127.0.0.1:11434");
  assertEquals(hostOfUrl("no address"), undefined);
});
