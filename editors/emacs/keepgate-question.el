;;; keepgate-question.el --- A question in words  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; Draws the params of `approval/request', or the `ask' of `proposals/get':
;; what and where, warnings, who asks, the whole change, the budgets.  What
;; goes stands behind "- ", what comes behind "+ ", what stays behind two
;; blanks; lines of ours begin with a letter, "!" or "@".

;;; Code:

(require 'keepgate-diff)
(require 'keepgate-text)

(defconst keepgate-question--acts
  '(("add" . "add a memory to %l")
    ("replace" . "change a memory of %l")
    ("remove" . "remove a memory from %l")
    ("consolidate" . "put one memory in the place of %t in %l")
    ("seed" . "add %c memories")
    ("undo" . "take a change back")
    ("remember" . "remember a fact")
    ("supersede" . "remember a fact in the place of another")
    ("forget" . "forget a fact")
    ("page-put" . "write a page")
    ("page-remove" . "remove a page")
    ("trust" . "trust a folder of pages")
    ("quarantine" . "put a session's memories into quarantine")
    ("release" . "bring a session's memories back from quarantine")
    ("purge" . "purge a text for good, everywhere"))
  "What each kind of change does, for the headline.")

(defconst keepgate-question--forgetting '("forget" "supersede" "undo-remember" "quarantine")
  "What happens to a fact that goes.")

(defun keepgate-question--list (ask key)
  "The array KEY of ASK as a list."
  (append (plist-get ask key) nil))

(defun keepgate-question-heading (ask)
  "What ASK is about, on one line that holds nobody's words."
  (let ((act (alist-get (plist-get ask :action) keepgate-question--acts
                        "change what is remembered" nil #'equal))
        (layer (if (equal (plist-get ask :scope) "user-global")
                   (format "%s/user-global" (plist-get ask :track))
                 (format "%s/workspace" (plist-get ask :track)))))
    (format-spec act `((?l . ,(keepgate-text-line layer))
                       (?t . ,(length (plist-get ask :targets)))
                       (?c . ,(or (plist-get ask :count) (length (plist-get ask :entries))))))))

(defun keepgate-question--items (ask)
  "The targets and entries of ASK."
  (append (keepgate-question--list ask :targets) (keepgate-question--list ask :entries)))

(defun keepgate-question--workspaces (ask)
  "The workspaces that ASK touches."
  (let ((keys (mapcar (lambda (item) (plist-get item :workspaceKey))
                      (append (list ask) (keepgate-question--items ask)
                              (keepgate-question--list ask :facts)
                              (keepgate-question--list ask :pages)))))
    (sort (delete-dups (delete "" (delq nil keys))) #'string<)))

(defun keepgate-question--tags (items)
  "The tags of ITEMS in words."
  (let ((tags (delete-dups (apply #'append (mapcar (lambda (item)
                                                     (append (plist-get item :tags) nil))
                                                   items)))))
    (if (null tags) "none"
      ;; A tag of that name is quoted, so that it cannot say that there is none.
      (mapconcat (lambda (tag) (if (equal tag "none") "\"none\"" (keepgate-text-name tag)))
                 tags ", "))))

(defun keepgate-question--readers (agent)
  "Who sees what is kept for AGENT."
  (if (equal agent "") "every agent" (format "agent %s alone" (keepgate-text-name agent))))

(defun keepgate-question--place (item)
  "Where ITEM, a target or an entry, lies, on one line."
  (concat (plist-get item :track) "/" (plist-get item :scope)
          (if (equal (plist-get item :workspaceKey) "") ""
            (concat " of " (keepgate-text-name (plist-get item :workspaceKey))))
          ", " (keepgate-question--readers (plist-get item :agentKey))
          ", tags " (keepgate-question--tags (list item))))

(defun keepgate-question--client (ask)
  "Who asks ASK."
  (let ((client (plist-get ask :client))
        (session (plist-get ask :sessionId)))
    (concat (if client (keepgate-text-client client) "this Emacs")
            (if session (concat ", session " (keepgate-text-name session)) ""))))

(defun keepgate-question--insert-fields (ask)
  "Insert what is to be known of ASK beside its texts."
  (let ((keys (keepgate-question--workspaces ask))
        (before (keepgate-question--list ask :targets))
        (after (keepgate-question--list ask :entries)))
    (when keys
      (keepgate-text-field (if (cdr keys) "workspaces" "workspace")
                           (if (cdr keys) (mapconcat #'keepgate-text-name keys ", ")
                             (car keys))))
    (unless (equal (plist-get ask :agentKey) "")
      (keepgate-text-field "agent" (plist-get ask :agentKey)))
    (when (or before after)
      (unless (equal (plist-get ask :track) "batch")
        (keepgate-text-field
         "seen by" (mapconcat #'keepgate-question--readers
                              (delete-dups (mapcar (lambda (item) (plist-get item :agentKey))
                                                   (keepgate-question--items ask)))
                              "; "))
        (let ((old (keepgate-question--tags before))
              (new (keepgate-question--tags after)))
          (keepgate-text-field "tags" (cond ((null after) old)
                                            ((or (null before) (equal old new)) new)
                                            (t (format "%s (before: %s)" new old)))))))
    (keepgate-text-field "asked by" (keepgate-question--client ask))
    (when (plist-get ask :source)
      (keepgate-text-field "source" (plist-get ask :source)))))

(defun keepgate-question--insert-fact (fact)
  "Insert FACT with each of its fields."
  (if (member (plist-get fact :action) keepgate-question--forgetting)
      (keepgate-diff-insert-gone (plist-get fact :text))
    (keepgate-diff-insert-new (plist-get fact :text)))
  (when (plist-get fact :id)
    (keepgate-text-field "what" (format "%s fact %s" (plist-get fact :action)
                                        (plist-get fact :id))))
  (keepgate-text-field "about" (or (plist-get fact :entity) "nobody and nothing in particular"))
  (keepgate-text-field "kind" (plist-get fact :kind))
  (keepgate-text-field "visibility" (if (equal (plist-get fact :visibility) "private")
                                        "private, local callers alone read it"
                                      "world, every connected agent reads it"))
  (keepgate-text-field "provenance" (plist-get fact :provenance))
  (keepgate-text-field "expires" (if (plist-get fact :validUntil)
                                     (keepgate-text-time (plist-get fact :validUntil))
                                   "never"))
  (keepgate-text-field "home" (if (equal (plist-get fact :workspaceKey) "")
                                  "every workspace"
                                (plist-get fact :workspaceKey)))
  (when (plist-get fact :reason)
    (keepgate-text-field "reason" (plist-get fact :reason))))

(defun keepgate-question--insert-page (page)
  "Insert what happens to the file of PAGE."
  (let ((before (plist-get page :before))
        (content (plist-get page :content))
        (path (plist-get page :path)))
    (keepgate-text-field "what" (plist-get page :action))
    (keepgate-text-field (if (equal path "") "folder" "file")
                         (if (equal path "") (plist-get page :root)
                           (concat (plist-get page :root) "/" path)))
    (cond ((and before content) (keepgate-diff-insert before content))
          (content (keepgate-diff-insert-new content))
          (before (keepgate-diff-insert-gone before)))))

(defun keepgate-question--insert-items (ask)
  "Insert the memories of ASK that go and those that come."
  (let ((targets (keepgate-question--list ask :targets))
        (entries (keepgate-question--list ask :entries))
        (batch (equal (plist-get ask :track) "batch")))
    (if (and (equal (plist-get ask :action) "consolidate") targets (= (length entries) 1))
        (keepgate-diff-insert-merged (mapcar (lambda (item) (plist-get item :text)) targets)
                                     (plist-get (car entries) :text))
      (dolist (item (append targets entries))
        (when batch
          (keepgate-text-insert (concat "@ " (keepgate-question--place item)) 'keepgate-label))
        (if (memq item targets)
            (keepgate-diff-insert-gone (plist-get item :text))
          (keepgate-diff-insert-new (plist-get item :text)))))))

(defun keepgate-question--insert-change (ask)
  "Insert the whole change of ASK."
  (let ((from (plist-get ask :from))
        (to (plist-get ask :to))
        (facts (keepgate-question--list ask :facts))
        (pages (keepgate-question--list ask :pages)))
    (if (and from to)
        (keepgate-diff-insert from to)
      (keepgate-question--insert-items ask)
      (mapc #'keepgate-question--insert-fact facts)
      (mapc #'keepgate-question--insert-page pages)
      (unless (or facts pages (keepgate-question--items ask))
        (keepgate-text-insert (keepgate-text-visible (plist-get ask :text)) nil "  ")))))

(defun keepgate-question-insert (ask)
  "Insert ASK as a person reads it, warnings on top and nothing hidden."
  (keepgate-text-insert (format "keepgate asks: %s?" (keepgate-question-heading ask))
                        'keepgate-title)
  (dolist (warning (keepgate-question--list ask :warnings))
    (keepgate-text-insert (concat "! " (keepgate-text-line (plist-get warning :message)))
                          'keepgate-warning))
  (insert "\n")
  (keepgate-question--insert-fields ask)
  (insert "\n")
  (keepgate-question--insert-change ask)
  (insert "\n")
  (dolist (usage (keepgate-question--list ask :usage))
    (keepgate-text-insert
     (format "%s/%s will hold %d of %d units" (plist-get usage :track)
             (plist-get usage :scope) (plist-get usage :used) (plist-get usage :limit))
     (and (> (plist-get usage :used) (plist-get usage :limit)) 'keepgate-warning)))
  (let ((queue (keepgate-question--list ask :queue)))
    (when queue
      (keepgate-text-insert (format "%d more of this session will be asked after it"
                                    (length queue))
                            'keepgate-label))))

(provide 'keepgate-question)
;;; keepgate-question.el ends here
