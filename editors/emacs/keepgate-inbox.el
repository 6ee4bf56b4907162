;;; keepgate-inbox.el --- Wishes that wait, and leave that was given  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; A wish is decided in the buffer of questions, where the whole of it
;; stands, and not from its line here.

;;; Code:

(require 'keepgate-deciding)
(require 'keepgate-table)

(defvar keepgate-inbox-mode-map
  (let ((map (make-sparse-keymap)))
    (set-keymap-parent map tabulated-list-mode-map)
    (define-key map (kbd "RET") #'keepgate-inbox-open)
    map)
  "Keys of the inbox.")

(define-derived-mode keepgate-inbox-mode keepgate-table-mode "Keepgate-Inbox"
  "The wishes that wait for a person.

\\{keepgate-inbox-mode-map}"
  (setq tabulated-list-format [("Change" 12 t) ("Layer" 18 t) ("Text" 60 t)
                               ("Session" 16 t) ("Age" 5 nil)]
        keepgate-table-fetch #'keepgate-inbox--fetch
        keepgate-table-follows '(proposals/didChange approval/decided)))

(defun keepgate-inbox--row (proposal)
  "The row of PROPOSAL."
  (list (plist-get proposal :id)
        (vector (keepgate-text-line (plist-get proposal :kind))
                (keepgate-text-line (format "%s/%s" (plist-get proposal :track)
                                            (plist-get proposal :scope)))
                (keepgate-text-short (plist-get proposal :text) 300)
                (keepgate-text-line (or (plist-get proposal :sessionId) ""))
                (keepgate-text-age (plist-get proposal :createdAt)))))

(defun keepgate-inbox--fetch (connection)
  "Fetch the wishes that wait over CONNECTION."
  (keepgate-table-request
   connection "proposals/list" '(:status "pending")
   (lambda (result)
     (let ((proposals (append (plist-get result :proposals) nil)))
       (keepgate-table-show (mapcar #'keepgate-inbox--row proposals)
                            (format "%d waiting   RET shows a wish and asks"
                                    (length proposals)))))))

;;;###autoload
(defun keepgate-inbox ()
  "List the wishes of this workspace that wait for a person."
  (interactive)
  (keepgate-table-open "inbox" 'keepgate-inbox-mode))

(defun keepgate-inbox-open ()
  "Put the wish at point as a question."
  (interactive)
  (keepgate-inbox-ask (keepgate-sidecar-connection) (keepgate-table-thing)))

(defun keepgate-inbox-ask (connection id)
  "Put the wish ID of CONNECTION as a question, in its selected buffer."
  (let ((open (keepgate-approval-find id)))
    (if open
        (keepgate-question-select open)
      (keepgate-client-request
       connection "proposals/get" (list :id id)
       (lambda (result)
         (if (plist-get result :ask)
             (keepgate-inbox--put connection (plist-get result :ask))
           (message "keepgate: %s" (keepgate-text-line
                                    (or (plist-get result :problem)
                                        "this wish waits no more")))))))))

(defun keepgate-inbox--put (connection ask)
  "Put ASK, a wish of CONNECTION's inbox."
  (let ((question (make-keepgate-ask
                   :root (keepgate-client-root connection)
                   :question ask
                   :decide (lambda (outcome)
                             (keepgate-inbox--decide (keepgate-client-root connection)
                                                     ask outcome)))))
    (keepgate-approval-keep question)
    (keepgate-question-select question)))

(defun keepgate-inbox--decide (root ask outcome)
  "Decide ASK of the workspace ROOT as OUTCOME says."
  (let ((id (plist-get ask :id))
        (connection (keepgate-sidecar-connection root)))
    (if (equal outcome "rejected")
        (keepgate-client-request connection "proposals/dismiss" (list :id id))
      (keepgate-client-request connection "proposals/approve"
                               (list :id id :hash (plist-get ask :hash))))))

;;; Leave for the rest of a session

(defvar keepgate-grants-mode-map
  (let ((map (make-sparse-keymap)))
    (set-keymap-parent map tabulated-list-mode-map)
    (define-key map "d" #'keepgate-grants-revoke)
    map)
  "Keys of the list of leaves.")

(define-derived-mode keepgate-grants-mode keepgate-table-mode "Keepgate-Grants"
  "What was allowed for the rest of sessions.

\\{keepgate-grants-mode-map}"
  (setq tabulated-list-format [("Kind" 10 t) ("Layer" 18 t) ("Session" 30 t) ("Agent" 12 t)
                               ("Since" 19 t)]
        keepgate-table-fetch #'keepgate-grants--fetch
        keepgate-table-follows '(approval/decided)))

(defun keepgate-grants--fetch (connection)
  "Fetch what was allowed over CONNECTION."
  (keepgate-table-request
   connection "grants/list" nil
   (lambda (result)
     (keepgate-table-show
      (mapcar (lambda (grant)
                (list (plist-get grant :id)
                      (vector (keepgate-text-line (plist-get grant :kind))
                              (keepgate-text-line (or (plist-get grant :layer) "facts"))
                              (keepgate-text-line (plist-get grant :sessionId))
                              (keepgate-text-line (plist-get grant :agentKey))
                              (keepgate-text-time (plist-get grant :grantedAt)))))
              (plist-get result :grants))
      "Allowed for the rest of a session   d ends it"))))

;;;###autoload
(defun keepgate-grants ()
  "List what was allowed for the rest of sessions in this workspace."
  (interactive)
  (keepgate-table-open "grants" 'keepgate-grants-mode))

(defun keepgate-grants-revoke ()
  "End the leave at point: the next write of its session is asked about."
  (interactive)
  (let ((buffer (current-buffer)))
    (keepgate-client-request
     (keepgate-sidecar-connection) "grants/revoke" (list :id (keepgate-table-thing))
     (keepgate-table-within
      buffer
      (lambda (result)
        (message "keepgate: %s" (if (eq (plist-get result :revoked) t) "ended"
                                  "there is no such leave any more"))
        (revert-buffer))))))

(provide 'keepgate-inbox)
;;; keepgate-inbox.el ends here
