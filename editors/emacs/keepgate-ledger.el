;;; keepgate-ledger.el --- What was done, and taking it back  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; The ledger of a workspace, newest first.  An undo is a change of its own:
;; the question asks first.

;;; Code:

(require 'keepgate-table)

(defvar-local keepgate-ledger--rows nil
  "The rows that were fetched, newest first.")

(defvar-local keepgate-ledger--next nil
  "Where older rows begin, or nil.")

(defvar keepgate-ledger-mode-map
  (let ((map (make-sparse-keymap)))
    (set-keymap-parent map tabulated-list-mode-map)
    (define-key map (kbd "RET") #'keepgate-ledger-show)
    (define-key map "u" #'keepgate-ledger-undo)
    (define-key map "U" #'keepgate-ledger-undo-session)
    (define-key map "m" #'keepgate-ledger-more)
    map)
  "Keys of the ledger.")

(define-derived-mode keepgate-ledger-mode keepgate-table-mode "Keepgate-Ledger"
  "The ledger of a workspace.

\\{keepgate-ledger-mode-map}"
  (setq tabulated-list-format [("Row" 6 keepgate-ledger--older-p :right-align t)
                               ("When" 19 nil) ("Action" 18 t) ("Layer" 17 t)
                               ("Outcome" 14 t) ("Text" 50 t)]
        keepgate-table-fetch #'keepgate-ledger--fetch
        keepgate-table-follows '(memory/added memory/updated memory/removed facts/didChange
                                              approval/decided proposals/didChange)))

(defun keepgate-ledger--older-p (one other)
  "Whether the row ONE is older than OTHER."
  (< (plist-get (car one) :seq) (plist-get (car other) :seq)))

(defun keepgate-ledger--row (row)
  "The line of ROW."
  (list row
        (vector (number-to-string (plist-get row :seq))
                (keepgate-text-time (plist-get row :ts))
                (keepgate-text-line (plist-get row :action))
                (if (plist-get row :track)
                    (keepgate-text-line (format "%s/%s" (plist-get row :track)
                                                (or (plist-get row :scope) "")))
                  "")
                (keepgate-text-short (or (plist-get row :outcome) "") 14)
                (keepgate-text-short (or (plist-get row :text) "") 200))))

(defun keepgate-ledger--fetch (connection &optional before)
  "Fetch the newest rows over CONNECTION, or those BEFORE one."
  (keepgate-table-request
   connection "memory/audit"
   (append (list :limit (min 1000 (keepgate-option 'keepgate-ledger-rows)))
           (and before (list :before before)))
   (lambda (result)
     (let ((rows (append (plist-get result :rows) nil)))
       (setq keepgate-ledger--rows (if before (append keepgate-ledger--rows rows) rows)
             keepgate-ledger--next (plist-get result :next))
       (keepgate-table-show
        (mapcar #'keepgate-ledger--row keepgate-ledger--rows)
        (format "%d rows%s   RET shows one, u takes its change back, U all of its session"
                (length keepgate-ledger--rows)
                (if keepgate-ledger--next ", m for older ones" "")))))))

;;;###autoload
(defun keepgate-ledger ()
  "Show what was done with the memories of this workspace."
  (interactive)
  (keepgate-table-open "ledger" 'keepgate-ledger-mode))

(defun keepgate-ledger-more ()
  "Fetch older rows."
  (interactive)
  (unless keepgate-ledger--next
    (user-error "There are no older rows"))
  (keepgate-ledger--fetch (keepgate-sidecar-connection) keepgate-ledger--next))

(defun keepgate-ledger--insert (row)
  "Insert ROW whole."
  (keepgate-text-insert (format "Row %d: %s" (plist-get row :seq)
                                (keepgate-text-line (plist-get row :action)))
                        'keepgate-title)
  (keepgate-text-field "when" (keepgate-text-time (plist-get row :ts)))
  (dolist (field '(:track :scope :entryId :outcome :source :sessionId :proposalId))
    (when (plist-get row field)
      (keepgate-text-field (substring (symbol-name field) 1)
                           (format "%s" (plist-get row field)))))
  (let ((by (plist-get row :by)))
    (while by
      (keepgate-text-field (concat "by " (substring (symbol-name (car by)) 1))
                           (format "%s" (cadr by)))
      (setq by (cddr by))))
  (insert "\n")
  (keepgate-text-insert (if (eq (plist-get row :purged) t) "(purged)"
                          (keepgate-text-visible (or (plist-get row :text) "")))
                        nil "  "))

(defun keepgate-ledger-show ()
  "Show the row at point whole."
  (interactive)
  (let ((row (keepgate-table-thing)))
    (keepgate-text-view "*keepgate: row*" (lambda () (keepgate-ledger--insert row)))))

(defun keepgate-ledger--undo (what)
  "Ask to take WHAT back."
  (let ((connection (keepgate-sidecar-connection)))
    (keepgate-client-request
     connection "memory/undo"
     (append what (list :session (keepgate-client-session connection)))
     (lambda (result)
       (let ((left (length (plist-get result :left))))
         (message "keepgate: taken back%s"
                  (if (> left 0) (format "; %d were changed since and left" left) "")))))))

(defun keepgate-ledger-undo ()
  "Ask to take back the change that the row at point belongs to."
  (interactive)
  (keepgate-ledger--undo (list :seq (plist-get (keepgate-table-thing) :seq))))

(defun keepgate-ledger-undo-session ()
  "Ask to take back everything that the session of the row at point wrote."
  (interactive)
  (let ((session (plist-get (keepgate-table-thing) :sessionId)))
    (unless session
      (user-error "This row is of no session"))
    (keepgate-ledger--undo (list :sessionId session))))

(provide 'keepgate-ledger)
;;; keepgate-ledger.el ends here
