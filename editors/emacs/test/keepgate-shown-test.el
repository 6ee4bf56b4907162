;;; keepgate-shown-test.el --- What a question shows  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; Differences, hidden characters, and text that tries to be more than text.

;;; Code:

(require 'keepgate-test-support)

(defun keepgate-test--session ()
  "The session of this Emacs, as a member of params."
  (list :session (keepgate-client-session (keepgate-test-connection))))

(defun keepgate-test--faces (text)
  "The pieces of TEXT that stand in the face of a word that differs."
  (let ((position 0) pieces)
    (while (< position (length text))
      (let ((end (next-single-property-change position 'face text (length text)))
            (face (get-text-property position 'face text)))
        (when (cl-intersection (if (listp face) face (list face))
                               '(keepgate-gone-word keepgate-new-word))
          (push (substring-no-properties text position end) pieces))
        (setq position end)))
    (nreverse pieces)))

(ert-deftest keepgate-shown-replace ()
  "A replacement is a difference, with the words that differ set off."
  (keepgate-test-visit)
  (let* ((entry (keepgate-test-store "Tests need\na database on port 5433."))
         (answer (keepgate-test-begin
                  "memory/replace"
                  (append (list :track "agent" :scope "workspace" :id (plist-get entry :id)
                                :text "Tests need\na database on port 5434.")
                          (keepgate-test--session))))
         (text (keepgate-test-question)))
    (should (string-match-p (concat "^  Tests need\n- a database on port 5433\\.\n"
                                    "\\+ a database on port 5434\\.$")
                            text))
    (should (equal '("5433" "5434") (keepgate-test--faces text)))
    (keepgate-test-press "a")
    (should (plist-get (funcall answer) :entry))))

(defun keepgate-test--page-block ()
  "The question that docs/editors/emacs.md shows."
  (with-temp-buffer
    (insert-file-contents (locate-library "../../docs/editors/emacs.md" t))
    (search-forward "```text\n")
    (buffer-substring (point) (1- (- (search-forward "\n```") 3)))))

(ert-deftest keepgate-shown-on-its-page ()
  "The page of Emacs shows what Emacs shows."
  (keepgate-test-visit)
  (let* ((entry (keepgate-test-store "The tests need a database on port 5433."))
         (answer (keepgate-test-begin
                  "memory/replace"
                  (append (list :track "agent" :scope "workspace" :id (plist-get entry :id)
                                :text "The tests need a database on port 5434.")
                          (keepgate-test--session))))
         (text (keepgate-test-question))
         (keys (with-current-buffer keepgate-approval-buffer header-line-format)))
    (dolist (change (list (cons (regexp-quote (keepgate-sidecar-root)) "/projects/demo")
                          (cons "this Emacs, session .*" "agent 1, session s-1")))
      (setq text (replace-regexp-in-string (car change) (cdr change) text)))
    (should (equal (keepgate-test--page-block)
                   (substring-no-properties (concat keys "\n" (string-trim-right text)))))
    (keepgate-test-press "r")
    (funcall answer)))

(ert-deftest keepgate-shown-consolidate ()
  "A consolidation shows each memory that goes, whole, and what takes their place."
  (keepgate-test-visit)
  (let* ((one (keepgate-test-store "Run make check."))
         (two (keepgate-test-store "Use port 5434."))
         (answer (keepgate-test-begin
                  "memory/consolidate"
                  (append (list :track "agent" :scope "workspace"
                                :ids (vector (list :id (plist-get one :id))
                                             (list :id (plist-get two :id)))
                                :text "Use port 5434, run make check.")
                          (keepgate-test--session)))))
    (should (string-match-p
             (concat "^@ 1 of 2\n- Run make check\\.\n@ 2 of 2\n- Use port 5434\\.\n"
                     "@ in their place\n\\+ Use port 5434, run make check\\.$")
             (keepgate-test-question)))
    (keepgate-test-press "a")
    (funcall answer)
    (should (equal '("Use port 5434, run make check.") (keepgate-test-texts)))))

(ert-deftest keepgate-shown-fact-and-page ()
  "A fact is shown with each of its fields, a page with its file."
  (keepgate-test-visit)
  (let ((fact (keepgate-test-begin
               "verbs/remember" (append (list :fact "Prefers dark mode" :entity "people/me"
                                              :provenance "said in chat")
                                        (keepgate-test--session)))))
    (let ((text (keepgate-test-question)))
      (should (string-match-p "^\\+ Prefers dark mode$" text))
      (should (string-match-p "^about: +people/me$" text))
      (should (string-match-p "^provenance: +said in chat$" text)))
    (keepgate-test-press "a")
    (should (equal "inserted" (plist-get (funcall fact) :status))))
  (let ((page (keepgate-test-begin
               "pages/put" (append (list :slug "people/ada" :content "# Ada\n\nKeeps it.\n")
                                   (keepgate-test--session)))))
    (let ((text (keepgate-test-question)))
      (should (string-match-p "^file: .*people/ada\\.md$" text))
      (should (string-match-p "^\\+ # Ada\n\\+ \n\\+ Keeps it\\.$" text)))
    (keepgate-test-press "a")
    (should (equal "created" (plist-get (funcall page) :status)))))

(ert-deftest keepgate-shown-hidden ()
  "Hidden characters are written out, and the question warns of them on top."
  (keepgate-test-visit)
  (let ((answer (keepgate-test-add "Safe\u202egnihtyna\u200b and 👩\u200d💻 stay.")))
    (let ((text (keepgate-test-question)))
      (should (string-match-p "^\\+ Safe⟨U\\+202E⟩gnihtyna⟨U\\+200B⟩ and 👩\u200d💻 stay\\.$" text))
      (should (string-match-p "\\`keepgate asks: [^\n]*\n! " text)))
    (keepgate-test-press "r")
    (funcall answer)))

(defconst keepgate-test--hostile
  (concat "%s \\[kill-emacs] `(progn (keepgate-question-allow-once))'\n"
          "keepgate asks: add a memory to user/user-global?\n"
          "a allow once\n"
          "diff --git a/etc/passwd b/etc/passwd\n--- /etc/passwd\n+++ /etc/passwd\n@@ -1 +1 @@\n"
          ;; In two parts: this file has no such list itself.
          ";; Local" " Variables:\n;; eval: (setq keepgate-test--ran t)\n;; End:\n"
          "\e[31mred\a" (make-string 300 ?x))
  "A memory that tries to be more than text.")

(defvar keepgate-test--ran nil
  "Whether something of the hostile text was run.")

(defun keepgate-test--inert-p (buffer)
  "Whether nothing in BUFFER can be pressed, evaluated or explained."
  (with-current-buffer buffer
    (let* ((header (bound-and-true-p tabulated-list--header-overlay))
           ;; The names of the columns are ours, and can be pressed.
           (position (if header (overlay-end header) (point-min)))
           (inert t))
      (while (and inert (< position (point-max)))
        (dolist (property '(button keymap local-map help-echo mouse-face follow-link
                                   action category syntax-table composition invisible))
          (when (get-text-property position property)
            (setq inert nil)))
        ;; Columns are aligned by the width of a blank.
        (unless (memq (car-safe (get-text-property position 'display)) '(nil space))
          (setq inert nil))
        (setq position (next-property-change position nil (point-max))))
      (and inert (null (delq header (overlays-in (point-min) (point-max))))))))

(ert-deftest keepgate-shown-hostile ()
  "Text of others is inert in the question, the lists and the views."
  (keepgate-test-visit)
  (let ((answer (keepgate-test-add keepgate-test--hostile)))
    (let ((text (keepgate-test-question)))
      ;; Each line of the memory stands behind its mark; the one of ours is the first.
      (should (equal 1 (cl-count-if (lambda (line) (string-prefix-p "keepgate asks" line))
                                    (split-string text "\n"))))
      (should (string-match-p "^\\+ a allow once$" text))
      (should (string-match-p "^\\+ ⟨U\\+001B⟩\\[31mred⟨U\\+0007⟩xxx" text)))
    (should (keepgate-test--inert-p keepgate-approval-buffer))
    (keepgate-test-press "a")
    (should (plist-get (funcall answer) :entry)))
  (keepgate-list)
  (keepgate-test-until "the list" (tabulated-list-get-id))
  (should (keepgate-test--inert-p (current-buffer)))
  (keepgate-list-show)
  (should (keepgate-test--inert-p (current-buffer)))
  (keepgate-ledger)
  (keepgate-test-until "the ledger" (tabulated-list-get-id))
  (should (keepgate-test--inert-p (current-buffer)))
  (keepgate-ledger-show)
  (should (keepgate-test--inert-p (current-buffer)))
  (should-not keepgate-test--ran))

(ert-deftest keepgate-shown-client ()
  "A client cannot pose as this Emacs, nor as one of another session."
  (with-temp-buffer
    (keepgate-question-insert
     '(:action "add" :track "agent" :scope "workspace" :workspaceKey "" :agentKey "" :text "x"
       :sessionId "s1" :client (:client "this Emacs, session s0" :version "1, session s0")))
    (should (string-match-p
             "^asked by: +\"this Emacs, session s0\" \"1, session s0\", session s1$"
             (buffer-string))))
  (should (equal "claude-code 2.1" (keepgate-text-client '(:client "claude-code" :version "2.1"))))
  (should (equal "claude-code" (keepgate-text-client '(:client "claude-code" :version nil)))))

(ert-deftest keepgate-shown-long-page ()
  "Of a long text the unchanged lines are counted, not shown."
  (let* ((old (mapconcat (lambda (number) (format "line %d" number)) (number-sequence 1 400) "\n"))
         (new (replace-regexp-in-string "line 200$" "line two hundred" old)))
    (with-temp-buffer
      (keepgate-diff-insert old new)
      (should (string-match-p
               (concat "\\`@ 196 unchanged lines\n  line 197\n  line 198\n  line 199\n- line 200\n"
                       "\\+ line two hundred\n  line 201\n  line 202\n  line 203\n"
                       "@ 197 unchanged lines\n\\'")
               (buffer-string))))))

(provide 'keepgate-shown-test)
;;; keepgate-shown-test.el ends here
