;;; keepgate.el --- Approve what agents remember  -*- lexical-binding: t; -*-

;; Author: The keepgate authors
;; Version: 0.1.0
;; Package-Requires: ((emacs "28.1"))
;; Keywords: tools, convenience
;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; keepgate is a memory for coding agents that stores only what a person saw
;; and allowed.  With `keepgate-mode' Emacs is where it asks:
;;
;;     (add-to-list 'load-path "/path/to/keepgate/editors/emacs")
;;     (require 'keepgate)
;;     (keepgate-mode 1)
;;
;; A question appears in a window that is not selected; M-x keepgate-question
;; goes there, and `a', `s', `r' and `q' answer.  M-x keepgate-list shows
;; what is remembered, M-x keepgate-inbox what waits, M-x keepgate-ledger
;; what was done.  The program `keepgate' must be installed.

;;; Code:

(require 'keepgate-approval)
(require 'keepgate-deciding)
(require 'keepgate-edit)
(require 'keepgate-inbox)
(require 'keepgate-ledger)
(require 'keepgate-list)
(require 'keepgate-sidecar)
(require 'keepgate-table)

;;; The mode line

(defvar keepgate--lighter " Keep"
  "What the mode line says; made anew when something changes.")
(put 'keepgate--lighter 'risky-local-variable t)

(defun keepgate-waiting ()
  "How many questions and wishes wait, in all workspaces."
  (let ((count 0))
    (dolist (connection (keepgate-sidecar-connections))
      (let* ((root (keepgate-client-root connection))
             (open (cl-count root (keepgate-approval-open) :key #'keepgate-ask-root
                             :test #'equal)))
        (cl-incf count (max open (keepgate-client-pending connection)))))
    count))

(defun keepgate--update-lighter ()
  "Make the mode line say how many wait, and whether something is wrong."
  (let ((waiting (keepgate-waiting))
        (ill (cl-find-if (lambda (connection)
                           (equal (car (keepgate-client-health connection)) "error"))
                         (keepgate-sidecar-connections))))
    (setq keepgate--lighter
          (concat " Keep"
                  (and ill (propertize "!" 'face 'error))
                  (and (> waiting 0)
                       (propertize (format "[%d]" waiting) 'face 'keepgate-waiting))))
    (force-mode-line-update t)))

;;; The mode

(defun keepgate--listen (on)
  "Hear of questions and changes while ON."
  (setq keepgate-client-question-function
        (if on #'keepgate-approval--asked #'keepgate--not-here))
  (let ((act (if on #'add-hook #'remove-hook)))
    (dolist (pair '((keepgate-client-withdrawn-functions . keepgate-approval--withdrawn)
                    (keepgate-client-notification-functions . keepgate-approval--notified)
                    (keepgate-client-notification-functions . keepgate-table-changed)
                    (keepgate-client-change-hook . keepgate--update-lighter)
                    (keepgate-approval-change-hook . keepgate--update-lighter)
                    ;; A daemon has somebody to ask when its first frame is made.
                    (server-after-make-frame-hook . keepgate-approval-offer)))
      (funcall act (car pair) (cdr pair)))))

(defun keepgate--not-here (ticket _question)
  "Refuse TICKET: there is nobody who would answer."
  (keepgate-client-refuse ticket -32601 "`keepgate-mode' is off"))

(defun keepgate--start-here ()
  "Start the sidecar of the file that was just visited, where that is wanted."
  (let ((where (keepgate-option 'keepgate-start-for)))
    (when (and where (not (file-remote-p default-directory)))
      (let ((root (keepgate-sidecar-project default-directory)))
        (when (and root
                   (or (eq where 'projects)
                       (cl-some (lambda (folder) (file-in-directory-p root folder)) where))
                   (not (keepgate-sidecar-running root)))
          (with-demoted-errors "keepgate: %S"
            (keepgate-sidecar-start root)))))))

(defun keepgate--focus ()
  "Tell every sidecar that the person is here, when a frame has the focus."
  (when (cl-some (lambda (frame) (eq (frame-focus-state frame) t)) (frame-list))
    (dolist (connection (keepgate-sidecar-connections))
      (when (eq (keepgate-client-state connection) 'ready)
        (keepgate-client-notify connection "session/active" nil)))))

;;;###autoload
(define-minor-mode keepgate-mode
  "Ask here about what agents want to remember.
The mode line shows how many questions and wishes wait."
  :global t
  :group 'keepgate
  :lighter keepgate--lighter
  (keepgate--listen keepgate-mode)
  (if keepgate-mode
      (progn
        (add-hook 'find-file-hook #'keepgate--start-here)
        (add-function :after after-focus-change-function #'keepgate--focus))
    (remove-hook 'find-file-hook #'keepgate--start-here)
    (remove-function after-focus-change-function #'keepgate--focus)
    (mapc #'keepgate-sidecar-stop (keepgate-sidecar-connections))))

;;; Commands

;;;###autoload
(defun keepgate-start ()
  "Start the sidecar of this workspace, and say that the person is here."
  (interactive)
  (keepgate-sidecar-connection))

;;;###autoload
(defun keepgate-restart ()
  "End the sidecar of this workspace and start it again.
No wish is lost: what is open is asked again or waits in the inbox."
  (interactive)
  (let* ((root (keepgate-sidecar-root))
         (connection (keepgate-sidecar-running root)))
    (remhash root keepgate-client--deaths)
    (if connection
        (keepgate-sidecar-stop connection (lambda () (keepgate-sidecar-start root)))
      (keepgate-sidecar-start root))))

;;;###autoload
(defun keepgate-status ()
  "Show how the sidecar of this workspace is."
  (interactive)
  (let ((connection (keepgate-sidecar-connection)))
    (keepgate-client-request
     connection "memory/status" nil
     (lambda (status)
       (keepgate-text-view "*keepgate: status*"
                           (lambda () (keepgate--insert-status connection status)))))))

(defun keepgate--insert-status (connection status)
  "Insert STATUS, which the sidecar of CONNECTION told."
  (keepgate-text-insert (format "keepgate %s: %s" (plist-get status :version)
                                (keepgate-text-line (plist-get status :health)))
                        'keepgate-title)
  (dolist (field '((:message . "message") (:storePath . "store") (:fileSystem . "files")
                   (:pendingProposals . "waiting")))
    (keepgate-text-field (cdr field) (format "%s" (plist-get status (car field)))))
  (keepgate-text-field "workspace" (keepgate-client-root connection))
  (keepgate-text-field "process" (format "%s" (process-id (jsonrpc--process connection))))
  (keepgate-text-insert "\nIn the whole store" 'keepgate-label)
  (dolist (count '((:entries . "entries") (:facts . "facts") (:pages . "pages")
                   (:pendingProposals . "wishes") (:ledgerRows . "ledger")))
    (keepgate-text-field (cdr count) (format "%s" (plist-get (plist-get status :counts) (car count)))))
  (dolist (problem (append (plist-get status :problems) nil))
    (keepgate-text-insert (concat "! " (keepgate-text-line problem)) 'keepgate-warning)))

(provide 'keepgate)
;;; keepgate.el ends here
