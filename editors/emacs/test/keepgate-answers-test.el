;;; keepgate-answers-test.el --- Answering questions  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; One Emacs, a real sidecar, and wishes of this Emacs itself.

;;; Code:

(require 'keepgate-test-support)

(defun keepgate-test--outcome (fault)
  "The outcome that FAULT, a denial, names."
  (plist-get (plist-get (plist-get (cdr fault) :data) :details) :outcome))

(ert-deftest keepgate-answers-allow ()
  "What is allowed is stored; the question does not take the selected window."
  (keepgate-test-visit)
  (let ((before (selected-window))
        (answer (keepgate-test-add "Tests need port 5433.")))
    (should (string-match-p "^\\+ Tests need port 5433\\.$" (keepgate-test-question)))
    (should (eq before (selected-window)))
    (should (get-buffer-window keepgate-approval-buffer))
    (should (string-match-p "\\[1\\]" keepgate--lighter))
    (keepgate-test-press "a")
    (should (plist-get (funcall answer) :entry))
    (should (equal '("Tests need port 5433.") (keepgate-test-texts)))
    (should-not (get-buffer-window keepgate-approval-buffer))))

(ert-deftest keepgate-answers-reject ()
  "What is rejected is not stored, and the caller hears it."
  (keepgate-test-visit)
  (let ((answer (keepgate-test-add "Push straight to main.")))
    (keepgate-test-question)
    (keepgate-test-press "r")
    (should (equal "rejected" (keepgate-test--outcome (funcall answer))))
    (should-not (keepgate-test-texts))))

(ert-deftest keepgate-answers-session ()
  "Leave for a session covers its next addition, is listed, and can be ended."
  (keepgate-test-visit)
  (let ((answer (keepgate-test-add "First.")))
    (keepgate-test-question)
    (with-current-buffer keepgate-approval-buffer
      (should (string-match-p "s allow for this session" header-line-format)))
    (keepgate-test-press "s")
    (should (plist-get (funcall answer) :entry)))
  (should (plist-get (funcall (keepgate-test-add "Second.")) :entry))
  (keepgate-grants)
  (keepgate-test-until "a leave" (tabulated-list-get-id))
  (keepgate-grants-revoke)
  (keepgate-test-until "no leave" (not (tabulated-list-get-id)))
  (let ((answer (keepgate-test-add "Third.")))
    (keepgate-test-question)
    (keepgate-test-press "r")
    (should (equal "rejected" (keepgate-test--outcome (funcall answer))))))

(ert-deftest keepgate-answers-session-not-offered ()
  "Where no leave can follow it is neither offered nor given."
  (keepgate-test-visit)
  (let* ((entry (keepgate-test-store "Old."))
         (answer (keepgate-test-begin
                  "memory/remove"
                  (list :track "agent" :scope "workspace" :id (plist-get entry :id)
                        :session (keepgate-client-session (keepgate-test-connection))))))
    (keepgate-test-question)
    (with-current-buffer keepgate-approval-buffer
      (should-not (string-match-p "for this session" header-line-format)))
    (should-error (keepgate-test-press "s") :type 'user-error)
    (keepgate-test-press "r")
    (should (equal "rejected" (keepgate-test--outcome (funcall answer))))))

(ert-deftest keepgate-answers-later ()
  "Putting a question off, or killing its buffer, decides nothing."
  (keepgate-test-visit)
  (let ((answer (keepgate-test-add "Later.")))
    (keepgate-test-question)
    (keepgate-test-press "q")
    (should-not keepgate-approval--current)
    (should (keepgate-approval-open))
    (keepgate-question)
    (kill-buffer keepgate-approval-buffer)
    (should (equal 1 (length (plist-get (keepgate-test-request "proposals/list"
                                                               '(:status "pending"))
                                        :proposals))))
    (should (string-match-p "\\[1\\]" keepgate--lighter))
    (keepgate-test-press "a")
    (should (plist-get (funcall answer) :entry))))

(ert-deftest keepgate-answers-cancelled-by-caller ()
  "A caller that gives up takes its question with it."
  (keepgate-test-visit)
  (let* ((connection (keepgate-test-connection))
         (answer (keepgate-test-add "Given up.")))
    (keepgate-test-question)
    ;; The id of the newest request: nothing else was sent since but notifications.
    (keepgate-client-notify connection "$/cancelRequest"
                            (list :id (jsonrpc--next-request-id connection)))
    (should (equal -32800 (plist-get (cdr (funcall answer)) :code)))
    (keepgate-test-until "no question" (null (keepgate-approval-open)))
    (should-not keepgate-approval--current)
    (should-not (keepgate-test-texts))))

(ert-deftest keepgate-answers-several ()
  "Of two questions the second is not decided by a key meant for the first."
  (keepgate-test-visit)
  (let ((first (keepgate-test-add "One."))
        (second (keepgate-test-add "Two.")))
    (keepgate-test-question)
    (keepgate-test-press "a")
    (should (plist-get (funcall first) :entry))
    (keepgate-test-until "the second question" (keepgate-approval-open))
    (should (equal '("One.") (keepgate-test-texts)))
    (keepgate-test-press "r")
    (should (equal "rejected" (keepgate-test--outcome (funcall second))))
    (should (equal '("One.") (keepgate-test-texts)))))

(defun keepgate-test--ask (text answers)
  "A question about TEXT that pushes its answer to the cdr of ANSWERS."
  (make-keepgate-ask
   :root "/projects/demo"
   :question (list :id text :action "add" :track "agent" :scope "workspace"
                   :workspaceKey "/projects/demo" :agentKey "" :text text :to text
                   :entries (vector (list :track "agent" :scope "workspace" :agentKey ""
                                          :workspaceKey "/projects/demo" :text text :tags []
                                          :source "keepgate"))
                   :warnings [] :targets [] :facts [] :pages [] :usage [] :queue [])
   :decide (lambda (outcome) (push (cons text outcome) (cdr answers)))))

(ert-deftest keepgate-answers-stray-keys ()
  "Keys decide only in the buffer, once its question has stood there for a while."
  (keepgate-test-visit)
  (let ((answers (list 'answers))
        (keepgate-question-guard 3600))
    (set-default 'keepgate-question-guard 3600)
    (keepgate-approval-add (keepgate-test--ask "first" answers))
    (should keepgate-approval--current)
    ;; The person goes on typing in the file.
    (execute-kbd-macro (kbd "a s r"))
    (should (equal "asr" (buffer-string)))
    ;; Commands do nothing from outside either.
    (should-error (keepgate-question-allow-once) :type 'user-error)
    (keepgate-question)
    (should-error (execute-kbd-macro (kbd "a")) :type 'user-error)
    (should-error (execute-kbd-macro (kbd "r")) :type 'user-error)
    (should-not (cdr answers))
    (set-default 'keepgate-question-guard 0)
    (keepgate-approval-add (keepgate-test--ask "second" answers))
    (execute-kbd-macro (kbd "a"))
    (should (equal '(("first" . "allowed-once")) (cdr answers)))
    ;; The buffer is selected: it does not go on by itself.
    (should-error (execute-kbd-macro (kbd "a")) :type 'user-error)
    (should (equal '(("first" . "allowed-once")) (cdr answers)))
    (execute-kbd-macro (kbd "n r"))
    (should (equal '("second" . "rejected") (cadr answers)))
    (should-not (keepgate-approval-open))))

(provide 'keepgate-answers-test)
;;; keepgate-answers-test.el ends here
