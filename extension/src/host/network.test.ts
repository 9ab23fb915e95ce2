import assert from "node:assert/strict";
import { test } from "node:test";
import { type HttpSettings, networkOf } from "./network";

const tests: { name: string; http: HttpSettings; want: object }[] = [
  { name: "nothing set", http: { proxy: "", noProxy: [], proxyStrictSSL: true, proxyAuthorization: null }, want: {} },
  {
    name: "a proxy",
    http: { proxy: "http://proxy:3128", noProxy: ["a.example", ".b.example"], proxyAuthorization: "Basic eA==" },
    want: { proxy: "http://proxy:3128", noProxy: "a.example,.b.example", proxyAuthorization: "Basic eA==" },
  },
  {
    name: "off uses not even the environment's",
    http: { proxySupport: "off", proxy: "http://proxy:3128", noProxy: ["a.example"] },
    want: { noProxy: "*" },
  },
  {
    name: "any certificate",
    http: { proxySupport: "off", proxyStrictSSL: false },
    want: { noProxy: "*", insecureSkipVerify: true },
  },
];

for (const { name, http, want } of tests) {
  test(`network: ${name}`, () => {
    assert.deepEqual(networkOf(http), want);
  });
}
