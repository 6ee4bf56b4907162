;;; keepgate-table.el --- Tables of things that others wrote  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; What the lists of memories, wishes, ledger rows and leaves share: they
;; belong to a workspace, are fetched without holding Emacs up, and follow
;; what changes.  Foreign text in them is cut, and inert.

;;; Code:

(require 'tabulated-list)
(require 'keepgate-sidecar)
(require 'keepgate-text)

(defvar-local keepgate-table-fetch nil
  "Called with the connection; it draws the table with `keepgate-table-show'.")

(defvar-local keepgate-table-follows nil
  "The notifications after which the table is fetched again, symbols.")

(defvar-local keepgate-table--stale nil
  "Whether it will be fetched again in a moment.")

(define-derived-mode keepgate-table-mode tabulated-list-mode "Keepgate"
  "A table of a workspace."
  (setq-local bidi-paragraph-direction 'left-to-right
              tabulated-list-padding 1
              tabulated-list-printer #'keepgate-table--print
              ;; The line above the text is for what the whole is about.
              tabulated-list-use-header-line nil
              revert-buffer-function #'keepgate-table--revert))

(defun keepgate-table--print (id columns)
  "Insert the row ID with COLUMNS, without help that is made of foreign text.
Emacs takes keys and commands out of such help when it shows it."
  (let ((begin (point)))
    (tabulated-list-print-entry id columns)
    (remove-text-properties begin (point) '(help-echo nil))))

(defun keepgate-table--revert (&rest _)
  "Fetch the table of the current buffer again."
  (setq keepgate-table--stale nil)
  (funcall keepgate-table-fetch (keepgate-sidecar-connection)))

(defun keepgate-table-open (name mode &optional prepare)
  "Show the table NAME of the current workspace in MODE, and fetch it.
PREPARE is called in its buffer before."
  (let* ((root (keepgate-sidecar-root))
         (buffer (get-buffer-create
                  (format "*keepgate %s: %s*" name
                          (keepgate-text-line (file-name-nondirectory root))))))
    (with-current-buffer buffer
      (unless (derived-mode-p mode)
        (funcall mode))
      (setq-local keepgate-root root)
      (when prepare (funcall prepare))
      (keepgate-table--revert))
    (pop-to-buffer buffer)))

(defun keepgate-table-within (buffer function)
  "A function that calls FUNCTION in BUFFER, unless that is gone."
  (lambda (&rest arguments)
    (when (buffer-live-p buffer)
      (with-current-buffer buffer
        (apply function arguments)))))

(defun keepgate-table-request (connection method params function)
  "Call FUNCTION in this buffer with what METHOD with PARAMS of CONNECTION gives."
  (keepgate-client-request connection method params
                           (keepgate-table-within (current-buffer) function)))

(defun keepgate-table-show (rows about)
  "Show ROWS, lists of a thing and its columns, below the words ABOUT."
  (setq tabulated-list-entries rows
        ;; A percent sign would stand for something there.
        header-line-format (replace-regexp-in-string "%" "%%" about t t))
  (tabulated-list-init-header)
  (tabulated-list-print t)
  (unless (tabulated-list-get-id)
    (keepgate-table--first)))

(defun keepgate-table--first ()
  "Go to the first line below the names of the columns."
  (goto-char (point-min))
  (when (tabulated-list-header-overlay-p)
    (forward-line 1))
  (dolist (window (get-buffer-window-list nil nil t))
    (set-window-point window (point))))

(defun keepgate-table-thing ()
  "The thing at point."
  (or (tabulated-list-get-id)
      (user-error "There is nothing on this line")))

(defun keepgate-table-changed (connection method _params)
  "Fetch the tables of CONNECTION's workspace that follow METHOD again, soon."
  (dolist (buffer (buffer-list))
    (with-current-buffer buffer
      (when (and (derived-mode-p 'keepgate-table-mode)
                 (memq method keepgate-table-follows)
                 (equal keepgate-root (keepgate-client-root connection))
                 (not keepgate-table--stale))
        (setq keepgate-table--stale t)
        (run-at-time 0.2 nil (keepgate-table-within buffer #'keepgate-table--again))))))

(defun keepgate-table--again ()
  "Fetch the table of the current buffer again, if its sidecar is there."
  (let ((connection (keepgate-sidecar-running keepgate-root)))
    (setq keepgate-table--stale nil)
    (when connection
      (funcall keepgate-table-fetch connection))))

(provide 'keepgate-table)
;;; keepgate-table.el ends here
