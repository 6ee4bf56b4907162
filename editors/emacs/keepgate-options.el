;;; keepgate-options.el --- Settings and faces of keepgate  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; What a person can set.  None of it is taken from a project: values are
;; read with `keepgate-option', which looks past buffer-local ones, and
;; every variable is marked risky, so that Emacs never applies one from
;; .dir-locals.el without asking.  Where the store lies is no setting here:
;; it stands in keepgate's own config.toml, for editor and terminal alike.

;;; Code:

(defgroup keepgate nil
  "Approve what agents remember, and see what is remembered here."
  :group 'tools
  :prefix "keepgate-")

(defcustom keepgate-program "keepgate"
  "The program that is started as a sidecar, by name or with its whole path.
A list of strings is a program and its first arguments.  The words
\"serve --stdio\" follow."
  :type '(choice (string :tag "Program")
                 (repeat :tag "Program and arguments" string)))

(defcustom keepgate-start-for 'projects
  "For which files `keepgate-mode' starts a sidecar when they are visited.
Whatever this says, commands such as `keepgate-list' start one."
  :type '(choice (const :tag "Files of a project" projects)
                 (repeat :tag "Files below these folders" directory)
                 (const :tag "None" nil)))

(defcustom keepgate-pop-up-questions t
  "Whether a question is shown in a window as it comes, without selecting it.
When nil, only the mode line and a message tell of it."
  :type 'boolean)

(defcustom keepgate-question-display
  '((display-buffer-reuse-window display-buffer-below-selected
                                 display-buffer-pop-up-window display-buffer-use-some-window)
    (inhibit-same-window . t)
    (inhibit-switch-frame . t)
    (window-height . fit-window-to-buffer))
  "The action of `display-buffer' with which questions are shown."
  :type display-buffer--action-custom-type)

(defcustom keepgate-question-guard 1.0
  "Seconds for which a question that has just appeared takes no decision.
A key that was on its way when the text changed decides nothing."
  :type 'number)

(defcustom keepgate-ledger-rows 200
  "How many rows of the ledger are fetched at a time, at most 1000."
  :type 'natnum)

(dolist (option '(keepgate-program keepgate-start-for keepgate-pop-up-questions
                  keepgate-question-display keepgate-question-guard keepgate-ledger-rows))
  (put option 'risky-local-variable t))

(defun keepgate-option (option)
  "The value that the person gave OPTION, whatever a project made of it."
  (default-value option))

(defface keepgate-title '((t :inherit bold))
  "What a question is about.")

(defface keepgate-warning '((t :inherit warning :weight bold))
  "What a question warns of.")

(defface keepgate-label '((t :inherit font-lock-comment-face))
  "Names of fields.")

(defface keepgate-gone '((t :inherit diff-removed))
  "Lines that go.")

(defface keepgate-new '((t :inherit diff-added))
  "Lines that come.")

(defface keepgate-gone-word '((t :inherit diff-refine-removed))
  "Words that go.")

(defface keepgate-new-word '((t :inherit diff-refine-added))
  "Words that come.")

(defface keepgate-waiting '((t :inherit warning))
  "The number of questions that wait, in the mode line.")

(provide 'keepgate-options)
;;; keepgate-options.el ends here
