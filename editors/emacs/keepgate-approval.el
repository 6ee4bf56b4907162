;;; keepgate-approval.el --- Ask the person, and wait for nobody  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; Questions stand in one buffer, one at a time.  It is displayed without
;; being selected, and decides by keys that work in it alone.  Three things
;; keep a stray key from deciding: the buffer never takes the place of the
;; selected one; while it is selected it never goes on to another question
;; by itself; and a question that has only just appeared takes no key.
;; Killing the buffer, `q', ending Emacs: none of them decides anything.

;;; Code:

(require 'cl-lib)
(require 'keepgate-client)
(require 'keepgate-options)
(require 'keepgate-question)

(cl-defstruct keepgate-ask
  "A question: of which workspace, what, and whom to tell the answer."
  root question ticket decide put-off)

(defconst keepgate-approval-buffer "*keepgate: question*"
  "The name of the buffer in which questions stand.")

(defvar keepgate-approval--asks nil
  "The questions that wait, oldest first.")

(defvar keepgate-approval--current nil
  "The question that the buffer shows, or nil.")

(defvar keepgate-approval--since 0
  "When it appeared, in seconds.")

(defvar keepgate-approval-change-hook nil
  "Run when the number of open questions changed.")

(declare-function keepgate-question-allow-once "keepgate-deciding")
(declare-function keepgate-question-allow-session "keepgate-deciding")
(declare-function keepgate-question-reject "keepgate-deciding")
(declare-function keepgate-question-later "keepgate-deciding")
(declare-function keepgate-question-next "keepgate-deciding")

(defvar keepgate-question-mode-map
  (let ((map (make-sparse-keymap)))
    (set-keymap-parent map special-mode-map)
    (define-key map "a" #'keepgate-question-allow-once)
    (define-key map "s" #'keepgate-question-allow-session)
    (define-key map "r" #'keepgate-question-reject)
    (define-key map "q" #'keepgate-question-later)
    (define-key map "l" #'keepgate-question-later)
    (define-key map "n" #'keepgate-question-next)
    map)
  "Keys of a question.")

(define-derived-mode keepgate-question-mode keepgate-view-mode "Keepgate-Question"
  "A change that waits for a person.

\\{keepgate-question-mode-map}"
  (setq-local revert-buffer-function #'ignore)
  (add-hook 'kill-buffer-hook #'keepgate-approval--killed nil t))

(defun keepgate-approval-open ()
  "The questions that wait, oldest first."
  keepgate-approval--asks)

;;; Coming and going

(defun keepgate-approval--asked (ticket question)
  "Take the QUESTION of TICKET."
  (keepgate-approval-add
   (make-keepgate-ask
    :root (keepgate-client-root (keepgate-client-ticket-connection ticket))
    :question question
    :ticket ticket
    :decide (lambda (outcome)
              (keepgate-client-answer
               ticket (list :outcome outcome :hash (plist-get question :hash)))))))

(defun keepgate-approval-add (ask)
  "Put ASK behind those that wait, and show it when it is its turn."
  (setq keepgate-approval--asks (append keepgate-approval--asks (list ask)))
  (run-hooks 'keepgate-approval-change-hook)
  (message "keepgate asks: %s? M-x keepgate-question shows it"
           (keepgate-question-heading (keepgate-ask-question ask)))
  (keepgate-approval-offer))

(defun keepgate-approval-keep (ask)
  "Put ASK, which the person reached for, before those that wait."
  (push ask keepgate-approval--asks)
  (run-hooks 'keepgate-approval-change-hook))

(defun keepgate-approval-offer ()
  "Show the next question, unless one is shown or the person is in its buffer."
  (let ((next (cl-find-if-not #'keepgate-ask-put-off keepgate-approval--asks)))
    (cond
     ((or (null next) keepgate-approval--current) nil)
     ((keepgate-approval--selected-p)
      (keepgate-approval--say "Another question waits: press n to see it."))
     ((and (keepgate-option 'keepgate-pop-up-questions) (keepgate-approval--seen-p))
      (keepgate-approval--show next)))))

(defun keepgate-approval--seen-p ()
  "Whether there is a frame to look at; a daemon may have none but its own."
  (or (not (daemonp)) (cdr (frame-list))))

(defun keepgate-approval--selected-p ()
  "Whether the buffer of questions is that of the selected window."
  (let ((buffer (get-buffer keepgate-approval-buffer)))
    (and buffer (eq buffer (window-buffer (selected-window))))))

(defun keepgate-approval--draw (ask)
  "Make ASK the question of the buffer, which is returned."
  (let ((buffer (get-buffer-create keepgate-approval-buffer)))
    (with-current-buffer buffer
      (unless (derived-mode-p 'keepgate-question-mode)
        (keepgate-question-mode))
      (let ((inhibit-read-only t))
        (erase-buffer)
        (keepgate-question-insert (keepgate-ask-question ask))
        (goto-char (point-min)))
      ;; Above the text, where a small window shows it, too.
      (setq-local header-line-format (keepgate-approval--keys ask)
                  keepgate-root (keepgate-ask-root ask))
      (setf (keepgate-ask-put-off ask) nil)
      (setq keepgate-approval--current ask
            keepgate-approval--since (float-time)))
    buffer))

(defun keepgate-approval--keys (ask)
  "The keys that answer ASK, in words."
  (concat "a allow once"
          (if (keepgate-approval--for-session-p ask) "   s allow for this session" "")
          "   r reject   q later (nothing is decided)"))

(defun keepgate-approval--for-session-p (ask)
  "Whether leave for the rest of a session can follow from ASK."
  (and (keepgate-ask-ticket ask)
       (eq (plist-get (keepgate-ask-question ask) :forSession) t)))

(defun keepgate-approval--show (ask)
  "Display ASK in a window that is not selected; say so once it is there."
  (let ((buffer (keepgate-approval--draw ask)))
    (save-selected-window
      (display-buffer buffer (keepgate-option 'keepgate-question-display)))
    (keepgate-approval--acknowledge ask)))

(defun keepgate-approval--acknowledge (ask)
  "Tell the sidecar that ASK is on the screen, if it is."
  (let ((window (get-buffer-window keepgate-approval-buffer 'visible))
        (ticket (keepgate-ask-ticket ask)))
    (when (and window (keepgate-approval--seen-p))
      (set-window-start window 1)
      (set-window-point window 1)
      (when ticket
        (keepgate-client-notify (keepgate-client-ticket-connection ticket) "approval/shown"
                                (list :id (plist-get (keepgate-ask-question ask) :id)))))))

(defun keepgate-approval--say (words)
  "Add WORDS to the buffer of questions, in a line of their own."
  (with-current-buffer keepgate-approval-buffer
    (let ((inhibit-read-only t))
      (save-excursion
        (goto-char (point-max))
        (insert "\n" (propertize words 'face 'keepgate-title) "\n")))))

(defun keepgate-approval--close (ask words)
  "Take ASK, which is over, from those that wait; WORDS say why."
  (setq keepgate-approval--asks (delq ask keepgate-approval--asks))
  (when (eq ask keepgate-approval--current)
    (setq keepgate-approval--current nil)
    (when (get-buffer keepgate-approval-buffer)
      (with-current-buffer keepgate-approval-buffer
        (setq header-line-format "n the next question   q close")
        (let ((inhibit-read-only t))
          (erase-buffer)))
      (keepgate-approval--say words)
      (keepgate-approval--go-on)))
  (run-hooks 'keepgate-approval-change-hook))

(defun keepgate-approval--go-on ()
  "After a question: close its window, or tell of the next."
  (keepgate-approval-offer)
  (unless (or keepgate-approval--current
              (cl-find-if-not #'keepgate-ask-put-off keepgate-approval--asks))
    (dolist (window (get-buffer-window-list keepgate-approval-buffer nil t))
      (quit-restore-window window))))

(defun keepgate-approval--withdrawn (ticket why)
  "Close the question of TICKET; WHY is in words."
  (let ((ask (cl-find ticket keepgate-approval--asks :key #'keepgate-ask-ticket)))
    (when ask
      (message "keepgate: %s" why)
      (keepgate-approval--close ask why))))

(defun keepgate-approval--notified (_connection method params)
  "Close the question that METHOD with PARAMS tells was decided elsewhere."
  (let* ((ask (keepgate-approval-find (plist-get params :id)))
         (ticket (and ask (keepgate-ask-ticket ask))))
    (when (and ask
               (pcase method
                 ;; Nobody decided a wish that is unavailable: it can still be allowed.
                 ('approval/decided (not (equal (plist-get params :outcome) "unavailable")))
                 ('proposals/didChange (not (or ticket (equal (plist-get params :status)
                                                              "pending"))))))
      (when ticket
        (keepgate-client-refuse ticket -32800 "decided elsewhere"))
      (message "keepgate: the question was decided elsewhere")
      (keepgate-approval--close ask "It was decided elsewhere."))))

(defun keepgate-approval-find (id)
  "The open question of the proposal ID, or nil."
  (cl-find id keepgate-approval--asks :test #'equal
           :key (lambda (ask) (plist-get (keepgate-ask-question ask) :id))))

(defun keepgate-approval--killed ()
  "Keep the question whose buffer is killed among those that wait."
  (when keepgate-approval--current
    (keepgate-approval--put-off)))

(defun keepgate-approval--put-off ()
  "Leave the question of the buffer for later."
  (setf (keepgate-ask-put-off keepgate-approval--current) t)
  (setq keepgate-approval--current nil))

(provide 'keepgate-approval)
;;; keepgate-approval.el ends here
