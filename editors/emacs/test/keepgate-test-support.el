;;; keepgate-test-support.el --- What the tests share  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; Tests wait by looking again, with a deadline that a loaded machine keeps.

;;; Code:

(require 'cl-lib)
(require 'ert)
(require 'keepgate)

(defconst keepgate-test-seconds 60
  "How long a test waits for anything.")

(defmacro keepgate-test-until (what &rest condition)
  "Wait until CONDITION holds and return its value; WHAT says what is waited for."
  (declare (indent 1))
  `(let ((end (+ (float-time) keepgate-test-seconds)) value)
     (while (not (setq value (progn ,@condition)))
       (when (> (float-time) end)
         (error "Waited in vain for %s" ,what))
       (accept-process-output nil 0.02))
     value))

(defun keepgate-test-visit ()
  "Visit a file of the workspace, as a person does."
  (find-file (expand-file-name "notes.txt" (getenv "KEEPGATE_TEST_PROJECT"))))

(defun keepgate-test-connection ()
  "The connection of the workspace, which is ready."
  (keepgate-test-until "a sidecar that is ready"
    (let ((connection (car (keepgate-sidecar-connections))))
      (and connection (eq (keepgate-client-state connection) 'ready) connection))))

(defun keepgate-test-tell (word)
  "Tell the test outside WORD, on a line of its own."
  (princ (concat word "\n") #'external-debugging-output))

(defun keepgate-test-hear (word)
  "Wait until the test outside said WORD, by making a file of that name."
  (keepgate-test-until word
    (file-exists-p (expand-file-name word (getenv "KEEPGATE_TEST_SIGNS")))))

(defun keepgate-test-play (name)
  "Run the tests of NAME, tell whether all held, and end Emacs."
  (let ((stats (ert-run-tests-batch (concat "\\`" name "\\'"))))
    (unless (and (> (ert-stats-total stats) 0)
                 (zerop (ert-stats-completed-unexpected stats)))
      (kill-emacs 1))
    (keepgate-test-tell "held")
    (kill-emacs 0)))

(defun keepgate-test-question ()
  "Wait until a question is shown; its text."
  (keepgate-test-until "a question" keepgate-approval--current)
  (with-current-buffer keepgate-approval-buffer
    (buffer-string)))

(defun keepgate-test-press (keys)
  "Press KEYS in the buffer of questions once it takes them."
  (keepgate-question)
  (keepgate-test-until "a question that takes keys" (keepgate-question-ready-p))
  (execute-kbd-macro (kbd keys)))

(defun keepgate-test-request (method params)
  "The result of METHOD with PARAMS, or (fault . FAULT)."
  (let (answer)
    (keepgate-client-request (keepgate-test-connection) method params
                             (lambda (result) (setq answer (list result)))
                             (lambda (fault) (setq answer (list (cons 'fault fault)))))
    (car (keepgate-test-until method answer))))

(defun keepgate-test-begin (method params)
  "Send METHOD with PARAMS; a function that waits for the answer."
  (let (answer)
    (keepgate-client-request (keepgate-test-connection) method params
                             (lambda (result) (setq answer (list result)))
                             (lambda (fault) (setq answer (list (cons 'fault fault)))))
    (lambda () (car (keepgate-test-until method answer)))))

(defun keepgate-test-add (text)
  "Begin to add TEXT to the workspace's layer of agents."
  (keepgate-test-begin
   "memory/add"
   (list :track "agent" :scope "workspace" :text text
         :session (keepgate-client-session (keepgate-test-connection)))))

(defun keepgate-test-store (text)
  "Add TEXT, with a yes; its entry."
  (let ((answer (keepgate-test-add text)))
    (keepgate-test-question)
    (keepgate-test-press "a")
    (plist-get (funcall answer) :entry)))

(defun keepgate-test-texts ()
  "The texts of all entries."
  (mapcar (lambda (entry) (plist-get entry :text))
          (plist-get (keepgate-test-request "memory/list" nil) :entries)))

(provide 'keepgate-test-support)
;;; keepgate-test-support.el ends here
