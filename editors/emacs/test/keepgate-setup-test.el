;;; keepgate-setup-test.el --- Settings, projects, and eglot  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; What a repository cannot do, where sidecars start, and what eglot does.

;;; Code:

(require 'keepgate-test-support)

(defun keepgate-test--project (path)
  "PATH in the project."
  (expand-file-name path (getenv "KEEPGATE_TEST_PROJECT")))

(ert-deftest keepgate-setup-repository ()
  "A repository sets neither the program nor where it comes from."
  (write-region "((nil . ((keepgate-program . (\"false\")) (keepgate-question-guard . 0))))"
                nil (keepgate-test--project ".dir-locals.el") nil 'silent)
  (should (risky-local-variable-p 'keepgate-program))
  (should-not (safe-local-variable-p 'keepgate-program "keepgate"))
  ;; A person who waves every value through in the end.
  (let ((enable-local-variables :all)
        (home (getenv "KEEPGATE_HOME")))
    (keepgate-test-visit)
    (should (equal '("false") keepgate-program))
    (should (equal 1.0 (keepgate-option 'keepgate-question-guard)))
    (keepgate-test-connection)
    ;; As packages do that take a project's environment.
    (setq-local exec-path '("/nowhere")
                process-environment '("KEEPGATE_STORE=/nowhere/memory.db"))
    (keepgate-restart)
    (let ((status (keepgate-test-request "memory/status" nil)))
      (should (string-prefix-p home (plist-get status :storePath))))))

(ert-deftest keepgate-setup-options-risky ()
  "Every setting is risky, and none says where the store is."
  (mapatoms
   (lambda (symbol)
     (when (and (string-prefix-p "keepgate-" (symbol-name symbol))
                (custom-variable-p symbol)
                (not (eq symbol 'keepgate-mode)))
       (should (risky-local-variable-p symbol))
       (should-not (string-match-p "store" (symbol-name symbol)))))))

(ert-deftest keepgate-setup-roots ()
  "One sidecar serves all files of a project; a deeper .keepgate is its own."
  (keepgate-test-visit)
  (let ((connection (keepgate-test-connection)))
    (make-directory (keepgate-test--project "src/deep") t)
    (find-file (keepgate-test--project "src/deep/a.txt"))
    (should (eq connection (keepgate-sidecar-connection)))
    (make-directory (keepgate-test--project "inner/.keepgate") t)
    (find-file (keepgate-test--project "inner/b.txt"))
    (should (equal (keepgate-test--project "inner")
                   (keepgate-client-root (keepgate-sidecar-connection))))
    (should (equal 2 (length (keepgate-sidecar-connections))))))

(ert-deftest keepgate-setup-nothing-remote ()
  "No sidecar is started for a remote file."
  (let ((default-directory "/ssh:nowhere.example:/srv/"))
    (should-error (keepgate-list) :type 'user-error)))

(ert-deftest keepgate-setup-no-program ()
  "Where there is no program, that is what is said."
  (let ((default (default-value 'keepgate-program)))
    (unwind-protect
        (progn
          (set-default 'keepgate-program "keepgate-that-is-not-here")
          (with-temp-buffer
            (setq default-directory (file-name-as-directory (keepgate-test--project "")))
            (should-error (keepgate-list) :type 'user-error)))
      (set-default 'keepgate-program default))))

(ert-deftest keepgate-setup-no-log ()
  "No buffer keeps what was said to the sidecar."
  (keepgate-test-visit)
  (keepgate-test-store "A memory that no log holds.")
  (dolist (buffer (buffer-list))
    ;; The last text that Emacs decoded stays in a buffer of its own for a while.
    (unless (member (buffer-name buffer)
                    (list keepgate-approval-buffer " *code-conversion-work*"))
      (with-current-buffer buffer
        (should-not (string-match-p "that no log holds" (buffer-string)))))))

;;; Eglot

(defvar keepgate-test--prompts nil
  "What eglot asked, newest first.")

(defvar eglot-sync-connect)
(declare-function eglot-ensure "eglot")
(declare-function eglot-current-server "eglot")

(defun keepgate-test--eglot (answer)
  "Visit a file that eglot serves as its page shows; ANSWER what it asks."
  (setq eglot-sync-connect nil)
  (fset 'completing-read
        (lambda (prompt collection &optional _predicate _match initial &rest _)
          (push (list prompt (all-completions "" collection) initial) keepgate-test--prompts)
          answer))
  (keepgate-test-visit)
  (let (noninteractive)
    (eglot-ensure)
    (run-hooks 'post-command-hook))
  (keepgate-test-until "eglot" (eglot-current-server))
  (let ((done nil))
    (jsonrpc-async-request (eglot-current-server) :memory/status (make-hash-table)
                           :timeout nil :success-fn (lambda (_) (setq done t)))
    (keepgate-test-until "its sidecar" done)))

(ert-deftest keepgate-setup-eglot-reject ()
  "Eglot asks in the minibuffer; a no is a no."
  (keepgate-test--eglot "Reject")
  (keepgate-test-tell "ready")
  (keepgate-test-until "a prompt" keepgate-test--prompts)
  (let ((prompt (car keepgate-test--prompts)))
    (should (string-match-p "The tests need port 5434\\." (nth 0 prompt)))
    (should (member "Reject" (nth 1 prompt)))
    ;; What docs/editors/emacs.md warns of: it stands there when the prompt comes.
    (should (equal "Allow once" (nth 2 prompt))))
  (keepgate-test-hear "answered"))

(ert-deftest keepgate-setup-eglot-allow ()
  "Eglot's other answer."
  (keepgate-test--eglot "Allow once")
  (keepgate-test-tell "ready")
  (keepgate-test-until "a prompt" keepgate-test--prompts)
  (keepgate-test-hear "answered"))

(provide 'keepgate-setup-test)
;;; keepgate-setup-test.el ends here
