import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["dist/", ".build/"] },
  {
    files: ["src/**/*.ts", "test/**/*.ts"],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { project: ["./tsconfig.json", "./tsconfig.test.json"] } },
    rules: {
      eqeqeq: "error",
      "max-lines": ["error", { max: 250, skipBlankLines: false }],
      "max-lines-per-function": ["error", { max: 40 }],
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/explicit-module-boundary-types": "error",
      "@typescript-eslint/switch-exhaustiveness-check": "error",
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
    },
  },
  {
    // Generated: one file for all types. Overloads there name what each one answers.
    files: ["src/generated/**"],
    rules: { "max-lines": "off", "@typescript-eslint/unified-signatures": "off" },
  },
  {
    // A suite is one function to JavaScript, and node:test's promises are its own to wait for.
    files: ["test/**/*.ts"],
    rules: { "max-lines-per-function": "off", "@typescript-eslint/no-floating-promises": "off" },
  },
);
