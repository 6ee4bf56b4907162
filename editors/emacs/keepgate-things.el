;;; keepgate-things.el --- Entries, facts and pages  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; Fetches what is remembered, and shows and forgets one of it.  Reads are
;; those of the management view: they leave no trace.

;;; Code:

(require 'iso8601)
(require 'keepgate-client)
(require 'keepgate-text)

(defconst keepgate-things--most 1000
  "How many entries or pages are fetched at a time.")

(defun keepgate-things--entry (entry)
  "The thing that ENTRY is."
  (list :sort 'entry :id (plist-get entry :id)
        :layer (concat (plist-get entry :track) "/" (plist-get entry :scope))
        :text (plist-get entry :text)
        :tags (append (plist-get entry :tags) nil)
        :changed (plist-get entry :updatedAt)
        :what entry))

(defun keepgate-things--fact (fact)
  "The thing that FACT is."
  (list :sort 'fact :id (plist-get fact :fact_id)
        :layer (if (plist-get fact :entity_slug)
                   (concat "fact " (plist-get fact :entity_slug))
                 "fact")
        :text (plist-get fact :fact)
        :tags (list (plist-get fact :kind))
        :changed (keepgate-things--moment (plist-get fact :created_at))
        :what fact))

(defun keepgate-things--moment (iso)
  "ISO, a moment as ISO 8601, in milliseconds since 1970, or nil."
  (and iso
       (condition-case nil
           ;; Fractions of a second are of no use here.
           (* 1000 (float-time (encode-time (iso8601-parse
                                             (replace-regexp-in-string "\\.[0-9]+" "" iso)))))
         (error nil))))

(defun keepgate-things--page (page)
  "The thing that PAGE is."
  (list :sort 'page :id (plist-get page :slug)
        :layer (if (equal (plist-get page :home) "") "page, everywhere" "page")
        :text (if (equal (plist-get page :title) (plist-get page :slug))
                  (plist-get page :slug)
                (format "%s  (%s)" (plist-get page :title) (plist-get page :slug)))
        :tags (append (plist-get page :tags) nil)
        :changed (plist-get page :changedAt)
        :what page))

;;; Fetching

(defun keepgate-things--all (connection method key done &optional after found)
  "Call DONE with all of KEY that METHOD lists over CONNECTION.
AFTER is where to go on, FOUND what came before, newest first."
  (keepgate-client-request
   connection method
   (append (list :limit keepgate-things--most) (and after (list :after after)))
   (lambda (result)
     (let ((found (append (reverse (append (plist-get result key) nil)) found)))
       (if (plist-get result :next)
           (keepgate-things--all connection method key done (plist-get result :next) found)
         (funcall done (nreverse found)))))))

(defun keepgate-things--entries (connection query done)
  "Call DONE with the entries of CONNECTION that hold QUERY."
  (if (null query)
      (keepgate-things--all connection "memory/list" :entries done)
    (keepgate-client-request
     connection "memory/query" (list :text query :limit keepgate-things--most)
     (lambda (result) (funcall done (append (plist-get result :entries) nil))))))

(defun keepgate-things--pages (connection query done)
  "Call DONE with the pages of CONNECTION that hold QUERY."
  (if (null query)
      (keepgate-things--all connection "pages/list" :pages done)
    (keepgate-client-request
     connection "pages/search" (list :query query :limit 100)
     (lambda (result)
       (funcall done (mapcar (lambda (hit) (plist-get hit :page)) (plist-get result :hits)))))))

(defun keepgate-things-fetch (connection query done)
  "Call DONE with the things of CONNECTION that hold QUERY, and notes or nil.
Of facts the newest hundred are fetched; a note tells of the others."
  (keepgate-things--entries
   connection query
   (lambda (entries)
     (keepgate-client-request
      connection "verbs/recall" (append '(:limit 100) (and query (list :query query)))
      (lambda (recalled)
        (keepgate-things--pages
         connection query
         (lambda (pages)
           (let* ((facts (append (plist-get recalled :facts) nil))
                  (more (- (or (plist-get recalled :total) 0) (length facts))))
             (funcall done
                      (append (mapcar #'keepgate-things--entry entries)
                              (mapcar #'keepgate-things--fact facts)
                              (mapcar #'keepgate-things--page pages))
                      (and (> more 0) (format "%d more facts: search" more)))))))))))

;;; One of them

(defun keepgate-things--fields (thing)
  "Insert the fields of THING, whose sort decides which."
  (let ((what (plist-get thing :what)))
    (dolist (field (pcase (plist-get thing :sort)
                     ('entry '(:id :workspaceKey :agentKey :source :sessionId :version
                                   :recallCount))
                     ('fact '(:fact_id :entity_slug :kind :visibility :provenance :valid_until
                                       :source_session :source_id))
                     ('page '(:slug :type :home :visibility))))
      (let ((value (plist-get what field)))
        (when (and value (not (equal value "")))
          (keepgate-text-field (substring (symbol-name field) 1) (format "%s" value)))))
    (when (plist-get thing :tags)
      (keepgate-text-field "tags" (mapconcat #'keepgate-text-name (plist-get thing :tags)
                                             ", ")))))

(defun keepgate-things-show (connection thing)
  "Show THING of CONNECTION whole."
  (if (not (eq (plist-get thing :sort) 'page))
      (keepgate-things--draw thing (plist-get thing :text))
    (keepgate-client-request
     connection "pages/get" (list :slug (plist-get thing :id))
     (lambda (result) (keepgate-things--draw thing (plist-get result :content))))))

(defun keepgate-things--draw (thing text)
  "Show THING, whose whole text is TEXT."
  (keepgate-text-view
   "*keepgate: memory*"
   (lambda ()
     (keepgate-text-insert (keepgate-text-line (plist-get thing :layer)) 'keepgate-title)
     (keepgate-things--fields thing)
     (insert "\n")
     (keepgate-text-insert (keepgate-text-visible text) nil "  "))))

(defun keepgate-things-forget (connection thing reason)
  "Have THING of CONNECTION forgotten, for REASON, after the question."
  (let ((session (list :session (keepgate-client-session connection)))
        (what (plist-get thing :what))
        (done (lambda (_) (message "keepgate: forgotten"))))
    (pcase (plist-get thing :sort)
      ('entry (keepgate-client-request
               connection "memory/remove"
               (append (list :track (plist-get what :track) :scope (plist-get what :scope)
                             :id (plist-get what :id) :version (plist-get what :version))
                       session)
               done))
      ('fact (keepgate-client-request
              connection "verbs/forget"
              (append (list :id (plist-get thing :id))
                      (unless (member reason '(nil "")) (list :reason reason))
                      session)
              done))
      ('page (keepgate-client-request
              connection "pages/remove" (append (list :slug (plist-get thing :id)) session)
              done)))))

(defun keepgate-things--recorded (thing)
  "The id of THING in the ledger."
  (if (eq (plist-get thing :sort) 'page)
      (user-error "The ledger has the rows of pages: M-x keepgate-ledger")
    (plist-get thing :id)))

(defun keepgate-things-history (connection thing)
  "Show every state that THING of CONNECTION had."
  (keepgate-client-request
   connection "memory/history" (list :id (keepgate-things--recorded thing))
   (lambda (result)
     (keepgate-text-view
      "*keepgate: history*"
      (lambda ()
        (mapc #'keepgate-things--version (plist-get result :versions)))))))

(defun keepgate-things--version (version)
  "Insert VERSION of a memory."
  (keepgate-text-insert
   (format "%s  %s, version %s, row %s" (keepgate-text-time (plist-get version :ts))
           (keepgate-text-line (plist-get version :action)) (plist-get version :version)
           (plist-get version :seq))
   'keepgate-title)
  (keepgate-text-field "outcome" (or (plist-get version :outcome) ""))
  (when (plist-get version :reason)
    (keepgate-text-field "reason" (plist-get version :reason)))
  (keepgate-text-insert (keepgate-text-visible (or (plist-get version :text) "(purged)"))
                        nil "  ")
  (insert "\n"))

(defun keepgate-things-why (connection thing)
  "Show who wanted THING of CONNECTION, who allowed it, and when."
  (keepgate-client-request
   connection "memory/why" (list :id (keepgate-things--recorded thing))
   (lambda (result)
     (keepgate-text-view
      "*keepgate: why*"
      (lambda () (mapc #'keepgate-things--link (plist-get result :chain)))))))

(defun keepgate-things--link (link)
  "Insert LINK of the chain of decisions."
  (keepgate-text-insert (format "%s  %s, row %s" (keepgate-text-time (plist-get link :ts))
                                (keepgate-text-line (plist-get link :action))
                                (plist-get link :seq))
                        'keepgate-title)
  (keepgate-text-field "outcome" (or (plist-get link :outcome) ""))
  (dolist (who '((:askedBy . "asked by") (:decidedBy . "decided by")))
    (let ((client (plist-get link (car who))))
      (when client
        (keepgate-text-field (cdr who) (format "%s, %s" (keepgate-text-client client)
                                               (or (plist-get client :channel) ""))))))
  (keepgate-text-field "session" (or (plist-get link :sessionId) "none"))
  (keepgate-text-field "hash" (or (plist-get link :hash) "none"))
  (insert "\n"))

(provide 'keepgate-things)
;;; keepgate-things.el ends here
