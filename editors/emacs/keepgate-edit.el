;;; keepgate-edit.el --- Write a memory, through the gate  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; An edit names the memory by id and version, so that one that changed in
;; the meantime is not overwritten; the text stays in its buffer then.

;;; Code:

(require 'keepgate-sidecar)
(require 'keepgate-text)
(require 'keepgate-things)

(defvar-local keepgate-edit--thing nil
  "What is edited.")

(defvar-local keepgate-edit--base nil
  "Its text as it was when the edit began.")

(defvar-local keepgate-edit--save nil
  "Called with connection, text, what to do when it is saved, and when it is not.")

(defvar-local keepgate-edit--asking nil
  "Whether the question about it is open.")

(defvar keepgate-edit-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "C-c C-c") #'keepgate-edit-save)
    (define-key map (kbd "C-c C-k") #'keepgate-edit-abort)
    map)
  "Keys of an edit.")

(define-derived-mode keepgate-edit-mode text-mode "Keepgate-Edit"
  "A memory to edit; \\[keepgate-edit-save] asks whether to save it.

\\{keepgate-edit-mode-map}"
  (setq-local bidi-paragraph-direction 'left-to-right
              word-wrap t
              require-final-newline nil
              header-line-format "C-c C-c: ask to save   C-c C-k: give up")
  ;; Characters that draw nothing are part of the text; they show as a box.
  (setq-local glyphless-char-display (copy-sequence glyphless-char-display))
  (dolist (range '((#x200b . #x200f) (#x202a . #x202e) (#x2060 . #x206f) (#xfeff . #xfeff)
                   (#xad . #xad) (#xe0000 . #xe0fff)))
    (set-char-table-range glyphless-char-display range 'hex-code)))

(defun keepgate-edit--open (name root text save thing)
  "Edit TEXT of THING of the workspace ROOT in a buffer NAME, which SAVE saves."
  (let ((buffer (generate-new-buffer name)))
    (with-current-buffer buffer
      (keepgate-edit-mode)
      (insert text)
      (goto-char (point-min))
      (set-buffer-modified-p nil)
      (setq buffer-undo-list nil
            keepgate-root root
            keepgate-edit--thing thing
            keepgate-edit--base text
            keepgate-edit--save save))
    (pop-to-buffer buffer)))

(defun keepgate-edit-save ()
  "Ask to save the memory as it stands in this buffer."
  (interactive)
  (let ((buffer (current-buffer))
        (text (buffer-substring-no-properties (point-min) (point-max))))
    (when keepgate-edit--asking
      (user-error "It is being asked about: M-x keepgate-question"))
    (setq keepgate-edit--asking t)
    (funcall keepgate-edit--save (keepgate-sidecar-connection) text
             (lambda (_)
               (message "keepgate: saved")
               (when (buffer-live-p buffer)
                 (with-current-buffer buffer (set-buffer-modified-p nil))
                 (kill-buffer buffer)))
             (lambda (fault)
               (when (buffer-live-p buffer)
                 (with-current-buffer buffer (setq keepgate-edit--asking nil)))
               (keepgate-edit--failed fault)))))

(defun keepgate-edit--failed (fault)
  "Tell why the text was not saved because of FAULT; it is still in its buffer."
  (if (equal (keepgate-client-code fault) "ENTRY_NOT_FOUND")
      (message "keepgate: not saved, the memory has changed or gone; your text is still here")
    (keepgate-client-complain fault)))

(defun keepgate-edit-abort ()
  "Give up the edit."
  (interactive)
  (when (or (not (buffer-modified-p)) (yes-or-no-p "Give up what you wrote? "))
    (set-buffer-modified-p nil)
    (kill-buffer)))

;;; The sorts of memories

(defun keepgate-edit-thing (connection thing)
  "Edit THING of CONNECTION."
  (let ((root (keepgate-client-root connection))
        (name "*keepgate edit*"))
    (pcase (plist-get thing :sort)
      ('entry (keepgate-edit--open name root (plist-get thing :text)
                                   #'keepgate-edit--entry thing))
      ('fact (keepgate-edit--open name root (plist-get thing :text)
                                  #'keepgate-edit--fact thing))
      ('page (keepgate-client-request
              connection "pages/get" (list :slug (plist-get thing :id))
              (lambda (result)
                (keepgate-edit--open name root (plist-get result :content)
                                     #'keepgate-edit--page thing)))))))

(defun keepgate-edit--entry (connection text done failed)
  "Ask over CONNECTION to make TEXT that of the entry; call DONE or FAILED."
  (let ((what (plist-get keepgate-edit--thing :what)))
    (keepgate-client-request
     connection "memory/replace"
     (list :track (plist-get what :track) :scope (plist-get what :scope)
           :id (plist-get what :id) :version (plist-get what :version)
           :text text :session (keepgate-client-session connection))
     done failed)))

(defun keepgate-edit--fact (connection text done failed)
  "Ask over CONNECTION for a fact TEXT in its place; call DONE or FAILED."
  (let ((what (plist-get keepgate-edit--thing :what)))
    (keepgate-client-request
     connection "verbs/remember"
     (append (list :fact text :provenance "edited in Emacs"
                   :supersedes (plist-get what :fact_id)
                   :kind (plist-get what :kind) :visibility (plist-get what :visibility)
                   :session (keepgate-client-session connection))
             (and (plist-get what :entity_slug) (list :entity (plist-get what :entity_slug)))
             (and (plist-get what :valid_until) (list :ttl (plist-get what :valid_until))))
     done failed)))

(defun keepgate-edit--page (connection text done failed)
  "Ask over CONNECTION to write TEXT to the page; call DONE or FAILED."
  (let ((slug (plist-get keepgate-edit--thing :id))
        (base keepgate-edit--base))
    (keepgate-client-request
     connection "pages/get" (list :slug slug)
     (lambda (result)
       (if (equal (plist-get result :content) base)
           (keepgate-client-request
            connection "pages/put"
            (list :slug slug :content text :session (keepgate-client-session connection))
            done failed)
         (funcall failed '(:message "not saved, the page's file has changed meanwhile; \
your text is still here"))))
     failed)))

(defconst keepgate-edit--layers
  '("agent/workspace" "agent/user-global" "user/workspace" "user/user-global")
  "Where an entry can be added.")

;;;###autoload
(defun keepgate-add (layer)
  "Write a new entry for LAYER of this workspace, in the buffer that opens."
  (interactive (list (completing-read "Add to: " keepgate-edit--layers nil t nil nil
                                      (car keepgate-edit--layers))))
  (let ((track (car (split-string layer "/")))
        (scope (cadr (split-string layer "/"))))
    (keepgate-edit--open
     (format "*keepgate add: %s*" layer) (keepgate-sidecar-root) ""
     (lambda (connection text done failed)
       (keepgate-client-request
        connection "memory/add"
        (list :track track :scope scope :text text
              :session (keepgate-client-session connection))
        done failed))
     nil)))

(provide 'keepgate-edit)
;;; keepgate-edit.el ends here
