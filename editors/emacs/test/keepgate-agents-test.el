;;; keepgate-agents-test.el --- Wishes of other processes  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; Each test here is one half; the other is in tests/editors/test_emacs.py,
;; which starts agents, kills sidecars and looks at the store.

;;; Code:

(require 'keepgate-test-support)

(defun keepgate-test--ready ()
  "Visit a file and tell when the sidecar can be asked."
  (keepgate-test-visit)
  (keepgate-test-connection)
  (keepgate-test-request "memory/status" nil)
  (keepgate-test-tell "ready"))

(defun keepgate-test--over ()
  "Wait until no question is open, here or in the sidecar."
  (keepgate-test-until "no question" (null (keepgate-approval-open)))
  (should-not keepgate-approval--current)
  ;; What was answered is stored then, whatever becomes of this Emacs.
  (keepgate-test-until "no wish"
    (seq-empty-p (plist-get (keepgate-test-request "proposals/list" '(:status "pending"))
                            :proposals))))

(ert-deftest keepgate-agents-allow ()
  "The wish of an agent is shown, with who asks, and allowed."
  (keepgate-test--ready)
  (let ((text (keepgate-test-question)))
    (should (string-match-p "^\\+ The tests need port 5434\\.$" text))
    (should (string-match-p "^asked by: +agent 1" text)))
  (keepgate-test-press "a")
  (keepgate-test--over))

(ert-deftest keepgate-agents-reject ()
  "The wish of an agent is rejected."
  (keepgate-test--ready)
  (keepgate-test-question)
  (keepgate-test-press "r")
  (keepgate-test--over))

(ert-deftest keepgate-agents-withdrawn ()
  "A question that is over elsewhere leaves the screen, and a key finds nothing."
  (keepgate-test--ready)
  (keepgate-test-question)
  (keepgate-test-tell "shown")
  (keepgate-test--over)
  (should-not (get-buffer-window keepgate-approval-buffer))
  (should-error (keepgate-question) :type 'user-error))

(ert-deftest keepgate-agents-three ()
  "Three wishes are asked one after the other."
  (keepgate-test--ready)
  (dolist (key '("a" "r" "a"))
    (keepgate-test-until "the next question" (keepgate-approval-open))
    (keepgate-test-press key))
  (keepgate-test--over))

(defun keepgate-test--inbox ()
  "Open the wish that waits, from the inbox."
  (keepgate-test-visit)
  (keepgate-test-until "the mode line" (string-match-p "\\[1\\]" keepgate--lighter))
  (should-not (keepgate-approval-open))
  (keepgate-inbox)
  (keepgate-test-until "a wish" (tabulated-list-get-id))
  (execute-kbd-macro (kbd "RET"))
  (should (string-match-p "^\\+ The tests need port 5434\\.$" (keepgate-test-question))))

(ert-deftest keepgate-agents-inbox-allow ()
  "A wish from before is told of in the mode line, listed and allowed."
  (keepgate-test--inbox)
  (should-error (keepgate-question-allow-session) :type 'user-error)
  (keepgate-test-press "a")
  (keepgate-test-until "an empty mode line" (equal " Keep" keepgate--lighter)))

(ert-deftest keepgate-agents-inbox-reject ()
  "A wish from before is rejected."
  (keepgate-test--inbox)
  (keepgate-test-press "q")
  (should-not (keepgate-approval-open))
  (with-current-buffer (keepgate-inbox)
    (keepgate-test-until "a wish" (tabulated-list-get-id))
    (keepgate-inbox-open))
  (keepgate-test-question)
  (keepgate-test-press "r")
  (keepgate-test-until "an empty mode line" (equal " Keep" keepgate--lighter)))

(ert-deftest keepgate-agents-restart ()
  "A question that is open comes again after a restart."
  (keepgate-test--ready)
  (keepgate-test-question)
  (let ((before (keepgate-test-connection))
        (asked keepgate-approval--current))
    (keepgate-restart)
    (keepgate-test-until "the end of the first" (eq (keepgate-client-state before) 'ended))
    (keepgate-test-until "the question again"
      (and keepgate-approval--current (not (eq asked keepgate-approval--current))))
    (should-not (eq before (keepgate-test-connection))))
  (keepgate-test-press "a")
  (keepgate-test--over))

(ert-deftest keepgate-agents-died ()
  "A sidecar that dies is started anew, and the question comes again."
  (keepgate-test--ready)
  (keepgate-test-question)
  (let ((asked keepgate-approval--current))
    (keepgate-test-tell "kill the sidecar")
    (keepgate-test-until "the question again"
      (and keepgate-approval--current (not (eq asked keepgate-approval--current)))))
  (keepgate-test-press "a")
  (keepgate-test--over))

(ert-deftest keepgate-agents-here ()
  "A command says that the person is here, not at the window used before."
  (keepgate-test--ready)
  (keepgate-test-hear "other")
  (with-current-buffer (get-file-buffer (expand-file-name
                                         "notes.txt" (getenv "KEEPGATE_TEST_PROJECT")))
    (keepgate-start))
  (keepgate-test-request "memory/status" nil)
  (keepgate-test-tell "here")
  (keepgate-test-question)
  (keepgate-test-press "a")
  (keepgate-test--over))

(ert-deftest keepgate-agents-living ()
  "Emacs that is looked at from outside, and killed."
  (keepgate-test--ready)
  (keepgate-test-question)
  (keepgate-test-tell "shown")
  (while t (accept-process-output nil 1)))

(ert-deftest keepgate-agents-mode-off ()
  "Turning the mode off ends the sidecars; what was asked goes on waiting."
  (keepgate-test--ready)
  (keepgate-test-question)
  (let ((connection (keepgate-test-connection)))
    (keepgate-mode -1)
    (keepgate-test-until "its end" (eq (keepgate-client-state connection) 'ended)))
  (should-not (keepgate-sidecar-connections)))

(provide 'keepgate-agents-test)
;;; keepgate-agents-test.el ends here
