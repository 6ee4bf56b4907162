;;; keepgate-list.el --- What is remembered here  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; Entries, facts and pages of a workspace in one table, all of them or
;; those that a search found.  A thing is a plist with :sort (entry, fact or
;; page), :id and what the sidecar told of it.

;;; Code:

(require 'keepgate-table)
(require 'keepgate-things)

(defvar-local keepgate-list--query nil
  "What was searched for, or nil for all.")

(defvar keepgate-list-mode-map
  (let ((map (make-sparse-keymap)))
    (set-keymap-parent map tabulated-list-mode-map)
    (define-key map (kbd "RET") #'keepgate-list-show)
    (define-key map "e" #'keepgate-list-edit)
    (define-key map "d" #'keepgate-list-forget)
    (define-key map "h" #'keepgate-list-history)
    (define-key map "w" #'keepgate-list-why)
    (define-key map "+" #'keepgate-add)
    (define-key map "/" #'keepgate-search)
    (define-key map "i" #'keepgate-inbox)
    (define-key map "L" #'keepgate-ledger)
    map)
  "Keys of the list of memories.")

(define-derived-mode keepgate-list-mode keepgate-table-mode "Keepgate-List"
  "What is remembered in a workspace.

\\{keepgate-list-mode-map}"
  (setq tabulated-list-format [("Layer" 18 t)
                               ("Text" 60 t)
                               ("Tags" 18 t)
                               ("Age" 5 keepgate-list--younger-p)]
        keepgate-table-fetch #'keepgate-list--fetch
        keepgate-table-follows '(memory/added memory/updated memory/removed
                                              facts/didChange pages/didChange)))

(defun keepgate-list--younger-p (one other)
  "Whether the row ONE is of a younger thing than OTHER."
  (> (or (plist-get (car one) :changed) 0) (or (plist-get (car other) :changed) 0)))

(defun keepgate-list--row (thing)
  "The row of THING."
  (list thing
        (vector (keepgate-text-line (plist-get thing :layer))
                (keepgate-text-short (plist-get thing :text) 300)
                (mapconcat #'keepgate-text-name (plist-get thing :tags) ", ")
                (if (plist-get thing :changed)
                    (keepgate-text-age (plist-get thing :changed))
                  ""))))

(defun keepgate-list--budgets (budgets)
  "BUDGETS in one line."
  (mapconcat (lambda (row)
               (format "%s/%s %d/%d" (plist-get row :track) (plist-get row :scope)
                       (plist-get row :used) (plist-get row :limit)))
             budgets "   "))

(defun keepgate-list--fetch (connection)
  "Fetch what is remembered over CONNECTION, one kind after the other."
  (let ((query keepgate-list--query)
        (buffer (current-buffer)))
    (keepgate-things-fetch
     connection query
     (keepgate-table-within
      buffer
      (lambda (things notes)
        (keepgate-table-request
         connection "memory/budgets" nil
         (lambda (result)
           (keepgate-table-show
            (mapcar #'keepgate-list--row things)
            (string-join (delq nil (list (and query
                                              (format "Found for %s:"
                                                      (keepgate-text-name query)))
                                         (keepgate-list--budgets (plist-get result :budgets))
                                         notes))
                         "   ")))))))))

;;; Commands

;;;###autoload
(defun keepgate-list ()
  "List what is remembered in this workspace: entries, facts and pages."
  (interactive)
  (keepgate-table-open "memories" 'keepgate-list-mode
                       (lambda () (setq keepgate-list--query nil))))

;;;###autoload
(defun keepgate-search (query)
  "List the entries, facts and pages of this workspace in which QUERY is found."
  (interactive "sSearch memories for: ")
  (keepgate-table-open "search" 'keepgate-list-mode
                       (lambda () (setq keepgate-list--query query))))

(defun keepgate-list-show ()
  "Show the memory at point whole."
  (interactive)
  (keepgate-things-show (keepgate-sidecar-connection) (keepgate-table-thing)))

(defun keepgate-list-edit ()
  "Edit the memory at point; saving it asks first."
  (interactive)
  (keepgate-edit-thing (keepgate-sidecar-connection) (keepgate-table-thing)))

(defun keepgate-list-forget ()
  "Forget the memory at point; the question asks first."
  (interactive)
  (let ((thing (keepgate-table-thing)))
    (keepgate-things-forget
     (keepgate-sidecar-connection) thing
     (and (eq (plist-get thing :sort) 'fact)
          (read-string "Reason, if any: ")))))

(defun keepgate-list-history ()
  "Show every state that the memory at point had."
  (interactive)
  (keepgate-things-history (keepgate-sidecar-connection) (keepgate-table-thing)))

(defun keepgate-list-why ()
  "Show who wanted the memory at point, who allowed it, and when."
  (interactive)
  (keepgate-things-why (keepgate-sidecar-connection) (keepgate-table-thing)))

(declare-function keepgate-edit-thing "keepgate-edit")
(autoload 'keepgate-edit-thing "keepgate-edit")
(declare-function keepgate-add "keepgate-edit")
(declare-function keepgate-inbox "keepgate-inbox")
(declare-function keepgate-ledger "keepgate-ledger")

(provide 'keepgate-list)
;;; keepgate-list.el ends here
