import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["dist", "out", "node_modules", "*.mjs"] },
  ...tseslint.configs.strictTypeChecked,
  ...tseslint.configs.stylisticTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      "max-lines": ["error", 250],
      "max-lines-per-function": ["error", { max: 40, skipComments: true, skipBlankLines: true }],
      eqeqeq: "error",
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/explicit-module-boundary-types": "error",
      "@typescript-eslint/switch-exhaustiveness-check": "error",
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
    },
  },
  {
    // A pure part is one that the tests can run without an editor.
    files: ["src/**/*.ts"],
    ignores: ["src/extension.ts", "src/**/*.vscode.ts"],
    rules: {
      "no-restricted-imports": ["error", { paths: [{ name: "vscode", message: "only *.vscode.ts may use the editor" }] }],
    },
  },
  {
    files: ["test/**/*.ts"],
    rules: {
      // node:test returns promises that the runner awaits itself.
      "@typescript-eslint/no-floating-promises": "off",
      "max-lines-per-function": "off",
    },
  },
);
