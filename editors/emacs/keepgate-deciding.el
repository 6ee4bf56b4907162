;;; keepgate-deciding.el --- The keys that answer a question  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; Commands of the buffer of questions; see keepgate-approval.el for what
;; keeps a stray key from deciding.

;;; Code:

(require 'keepgate-approval)
(require 'keepgate-sidecar)

(defun keepgate-question-ready-p ()
  "Whether the question that is shown has been there long enough for a key."
  (and keepgate-approval--current
       (>= (- (float-time) keepgate-approval--since)
           (keepgate-option 'keepgate-question-guard))))

(defun keepgate-question--decide (outcome words)
  "Answer the question that is shown with OUTCOME, which WORDS tell of."
  (let ((ask keepgate-approval--current))
    (cond
     ((not (derived-mode-p 'keepgate-question-mode))
      (user-error "Questions are answered in their buffer: M-x keepgate-question"))
     ((null ask)
      (user-error "Nothing is asked here; n shows the next question"))
     ((not (keepgate-question-ready-p))
      ;; Each key that comes too early starts the time anew: somebody types.
      (setq keepgate-approval--since (float-time))
      (user-error "This question has only just appeared; read it, then press the key again"))
     (t (funcall (keepgate-ask-decide ask) outcome)
        (keepgate-approval--close ask words)
        (message "keepgate: %s" words)))))

(defun keepgate-question-allow-once ()
  "Allow the change that is shown."
  (interactive)
  (keepgate-question--decide "allowed-once" "Allowed once."))

(defun keepgate-question-allow-session ()
  "Allow the change that is shown, and its like for the rest of the session."
  (interactive)
  (let ((ask keepgate-approval--current))
    (when (and ask (not (keepgate-approval--for-session-p ask)))
      (user-error "This change can only be allowed once")))
  (keepgate-question--decide "allowed-session" "Allowed for this session."))

(defun keepgate-question-reject ()
  "Reject the change that is shown."
  (interactive)
  (keepgate-question--decide "rejected" "Rejected."))

(defun keepgate-question-later ()
  "Decide nothing: the question goes on waiting."
  (interactive)
  (when keepgate-approval--current
    (if (keepgate-ask-ticket keepgate-approval--current)
        (keepgate-approval--put-off)
      ;; It was fetched from the inbox, and is there still.
      (setq keepgate-approval--asks (delq keepgate-approval--current keepgate-approval--asks)
            keepgate-approval--current nil))
    (run-hooks 'keepgate-approval-change-hook)
    (message "keepgate: it goes on waiting; M-x keepgate-question shows it again"))
  (quit-window)
  (keepgate-approval-offer))

(defun keepgate-question-next ()
  "Leave the question that is shown for later and show the next one."
  (interactive)
  (let* ((asks (keepgate-approval-open))
         (next (or (cadr (memq keepgate-approval--current asks))
                   (car (remq keepgate-approval--current asks)))))
    (unless next
      (user-error "No other question waits"))
    (when keepgate-approval--current
      (keepgate-approval--put-off))
    (keepgate-question-select next)))

(defun keepgate-question-select (ask)
  "Show ASK in a window and select it."
  (unless (eq ask keepgate-approval--current)
    (when keepgate-approval--current
      (keepgate-approval--put-off))
    (keepgate-approval--draw ask))
  (select-window (or (get-buffer-window keepgate-approval-buffer t)
                     (display-buffer keepgate-approval-buffer
                                     (keepgate-option 'keepgate-question-display))
                     (display-buffer keepgate-approval-buffer
                                     '((display-buffer-use-some-window
                                        display-buffer-same-window)))))
  (keepgate-approval--acknowledge ask)
  ;; Reaching for the connection says that the person is here.
  (keepgate-sidecar-connection (keepgate-ask-root ask)))

;;;###autoload
(defun keepgate-question ()
  "Select the question that waits: the one that is shown, else the oldest."
  (interactive)
  (let ((ask (or keepgate-approval--current (car (keepgate-approval-open)))))
    (unless ask
      (user-error "Nothing is asked now; M-x keepgate-inbox lists the wishes that wait"))
    (keepgate-question-select ask)))

(provide 'keepgate-deciding)
;;; keepgate-deciding.el ends here
