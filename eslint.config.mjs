import { defineConfig } from "eslint/config";
import tseslint from "typescript-eslint";

export default defineConfig(
  {
    ignores: [
      "node_modules/",
      "out/",
      ".tmp/",
      "extension/bin/",
      "extension/dist/",
      "daemon/",
      "protocol/",
      "ranker/",
      "router/",
    ],
  },
  tseslint.configs.strictTypeChecked,
  tseslint.configs.stylisticTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      "no-console": "error",
      eqeqeq: "error",
      // A callback may be an expression whose value nobody wants.
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      // node:test's describe and test return promises that the runner awaits.
      "@typescript-eslint/no-floating-promises": [
        "error",
        { allowForKnownSafeCalls: [{ from: "package", package: "node:test", name: ["test", "describe", "it"] }] },
      ],
    },
  },
  {
    files: ["extension/scripts/**", "extension/test/**", "extension/demo/prepare.mjs"],
    rules: {
      "no-console": "off",
      // The rule does not see JSDoc's casts, which tsc does.
      "@typescript-eslint/no-unsafe-assignment": "off",
    },
  },
  {
    // Modules that stand in for others take their shape.
    files: ["**/*.cjs"],
    rules: { "@typescript-eslint/no-require-imports": "off", "@typescript-eslint/no-empty-function": "off" },
  },
);
