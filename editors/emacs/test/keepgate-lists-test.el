;;; keepgate-lists-test.el --- Lists, edits and the ledger  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; What a person sees of the memory and takes back, through the gate.

;;; Code:

(require 'keepgate-test-support)

(defun keepgate-test--session ()
  "The session of this Emacs, as a member of params."
  (list :session (keepgate-client-session (keepgate-test-connection))))

(defun keepgate-test--go (text)
  "Wait in a table for a line with TEXT and go there."
  (keepgate-test-until text
    (goto-char (point-min))
    (search-forward text nil t))
  (beginning-of-line))

(defun keepgate-test--list (command text)
  "Show the table of COMMAND and go to the line with TEXT."
  (call-interactively command)
  (keepgate-test--go text))

(defun keepgate-test--store-all ()
  "Store an entry, a fact and a page."
  (keepgate-test-store "Tests need port 5433.")
  (dolist (write (list (list "verbs/remember" :fact "Prefers dark mode" :entity "people/me"
                             :provenance "said in chat")
                       (list "pages/put" :slug "people/ada" :content "# Ada\n\nKeeps it.\n")))
    (let ((answer (keepgate-test-begin (car write)
                                       (append (cdr write) (keepgate-test--session)))))
      (keepgate-test-question)
      (keepgate-test-press "a")
      (funcall answer))))

(ert-deftest keepgate-lists-everything ()
  "Entries, facts and pages are listed with the budgets, and can be looked at."
  (keepgate-test-visit)
  (keepgate-test--store-all)
  (keepgate-test--list 'keepgate-list "Tests need port 5433.")
  (keepgate-test--go "Prefers dark mode")
  (keepgate-test--go "people/ada")
  (should (string-match-p "agent/workspace 21/4000" header-line-format))
  (execute-kbd-macro (kbd "RET"))
  (keepgate-test-until "the page" (get-buffer "*keepgate: memory*"))
  (with-current-buffer "*keepgate: memory*"
    (should (string-match-p "^  Keeps it\\.$" (buffer-string))))
  (keepgate-test--list 'keepgate-list "Tests need port 5433.")
  (execute-kbd-macro (kbd "h"))
  (keepgate-test-until "the history" (get-buffer "*keepgate: history*"))
  (keepgate-test--list 'keepgate-list "Prefers dark mode")
  (execute-kbd-macro (kbd "w"))
  (keepgate-test-until "who allowed it" (get-buffer "*keepgate: why*"))
  (with-current-buffer "*keepgate: why*"
    (should (string-match-p "^decided by: +Emacs" (buffer-string)))))

(ert-deftest keepgate-lists-search ()
  "A search finds entries, facts and pages, and only those."
  (keepgate-test-visit)
  (keepgate-test--store-all)
  (keepgate-search "dark mode")
  (keepgate-test--go "Prefers dark mode")
  (should-not (string-match-p "5433" (buffer-string)))
  (keepgate-search "5433")
  (keepgate-test--go "Tests need port 5433.")
  (should-not (string-match-p "dark" (buffer-string))))

(ert-deftest keepgate-lists-edit-and-forget ()
  "An edit and a removal are asked about; the list follows."
  (keepgate-test-visit)
  (keepgate-test-store "Tests need port 5433.")
  (keepgate-test--list 'keepgate-list "5433")
  (let ((list (current-buffer)))
    (execute-kbd-macro (kbd "e"))
    (should (derived-mode-p 'keepgate-edit-mode))
    (while (search-forward "5433" nil t) (replace-match "5434"))
    (execute-kbd-macro (kbd "C-c C-c"))
    (should (string-match-p "^- Tests need port 5433" (keepgate-test-question)))
    (keepgate-test-press "a")
    (switch-to-buffer list)
    (keepgate-test--go "5434")
    (execute-kbd-macro (kbd "d"))
    (keepgate-test-question)
    (keepgate-test-press "a")
    (switch-to-buffer list)
    (keepgate-test-until "an empty list" (not (tabulated-list-get-id)))
    (should-not (keepgate-test-texts))))

(ert-deftest keepgate-lists-edit-drift ()
  "An edit of what has changed meanwhile stores nothing and keeps the text."
  (keepgate-test-visit)
  (let ((entry (keepgate-test-store "Tests need port 5433.")))
    (keepgate-test--list 'keepgate-list "5433")
    (execute-kbd-macro (kbd "e"))
    (let ((edit (current-buffer)))
      (erase-buffer)
      (insert "Mine.")
      (let ((answer (keepgate-test-begin
                     "memory/replace"
                     (append (list :track "agent" :scope "workspace" :id (plist-get entry :id)
                                   :text "Theirs.")
                             (keepgate-test--session)))))
        (keepgate-test-question)
        (keepgate-test-press "a")
        (funcall answer))
      (switch-to-buffer edit)
      (execute-kbd-macro (kbd "C-c C-c"))
      (keepgate-test-until "the refusal" (not keepgate-edit--asking))
      (should (buffer-live-p edit))
      (should (equal "Mine." (buffer-string)))
      (should (equal '("Theirs.") (keepgate-test-texts))))))

(ert-deftest keepgate-lists-page-drift ()
  "A page whose file has changed meanwhile is not overwritten."
  (keepgate-test-visit)
  (keepgate-test--store-all)
  (keepgate-test--list 'keepgate-list "people/ada")
  (execute-kbd-macro (kbd "e"))
  (switch-to-buffer (keepgate-test-until "the page" (get-buffer "*keepgate edit*")))
  (let ((file (expand-file-name ".keepgate/pages/people/ada.md"
                                (getenv "KEEPGATE_TEST_PROJECT"))))
    (write-region "# Ada\n\nChanged by hand.\n" nil file nil 'silent)
    (goto-char (point-max))
    (insert "Mine.\n")
    (execute-kbd-macro (kbd "C-c C-c"))
    (keepgate-test-until "the refusal" (not keepgate-edit--asking))
    (should (string-match-p "Mine\\." (buffer-string)))
    (should-not (keepgate-approval-open))
    (with-temp-buffer
      (insert-file-contents file)
      (should (equal "# Ada\n\nChanged by hand.\n" (buffer-string))))))

(ert-deftest keepgate-lists-add ()
  "A new memory is written in a buffer and asked about."
  (keepgate-test-visit)
  (keepgate-test-connection)
  (keepgate-add "user/workspace")
  (insert "Owns the release script.")
  (execute-kbd-macro (kbd "C-c C-c"))
  (keepgate-test-question)
  (keepgate-test-press "a")
  (keepgate-test-until "the memory" (keepgate-test-texts))
  (should (equal '("Owns the release script.") (keepgate-test-texts))))

(ert-deftest keepgate-lists-ledger ()
  "The ledger shows what was done, and a row's change is taken back."
  (keepgate-test-visit)
  (keepgate-test-store "Tests need port 5433.")
  (keepgate-test--list 'keepgate-ledger "Tests need port 5433.")
  (execute-kbd-macro (kbd "RET"))
  (with-current-buffer "*keepgate: row*"
    (should (string-match-p "allowed-once (via approval" (buffer-string))))
  (keepgate-test--list 'keepgate-ledger "Tests need port 5433.")
  (execute-kbd-macro (kbd "u"))
  (should (string-match-p "take a change back" (keepgate-test-question)))
  (keepgate-test-press "a")
  (keepgate-test-until "the undo" (null (keepgate-test-texts))))

(ert-deftest keepgate-lists-status ()
  "The status names the store and what it holds, in words and not as the protocol spells them."
  (keepgate-test-visit)
  (keepgate-test-connection)
  (keepgate-status)
  (keepgate-test-until "the status" (get-buffer "*keepgate: status*"))
  (with-current-buffer "*keepgate: status*"
    (should (string-match-p "^store: .*memory\\.db$" (buffer-string)))
    (should (string-match-p "^In the whole store\nentries: +0$" (buffer-string)))
    (should (string-match-p "^ledger: +[0-9]+$" (buffer-string)))
    (should (string-match-p "\\`keepgate [0-9.]+: ok$" (buffer-string)))))

(provide 'keepgate-lists-test)
;;; keepgate-lists-test.el ends here
