;;; keepgate-text.el --- Show foreign text as it is, and inert  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; Memories are written by others.  Before one is shown, each character that
;; draws nothing or turns the direction of its neighbours is written out, as
;; ⟨U+202E⟩; the set is that of the sidecar.  Foreign text is inserted
;; without properties, and each of its lines stands behind a mark, so that
;; none passes for a line of ours, also where the window breaks it.

;;; Code:

(require 'cl-lib)
(require 'subr-x)

(defconst keepgate-text--suspect
  (rx (any (0 . 8) (11 . 31) (127 . 159) #xad (#x34f . #x10ffff)))
  "Matches what may be hidden; whatever it does not match is not.")

(defconst keepgate-text--blank
  (rx (any #x34f #x115f #x1160 #x17b4 #x17b5 (#x180b . #x180f) #x2065 #x2800 #x3164
           (#xfe00 . #xfe0f) #xffa0 (#xfff0 . #xfff8) (#xe0000 . #xe0fff)))
  "Matches what draws nothing although its category does not say so.")

(defconst keepgate-text--joining
  (rx (any (#x600 . #x8ff) (#x900 . #xdff) (#xf00 . #x109f) (#x1780 . #x18af)
           (#x1900 . #x1cff) (#xa800 . #xa95f) (#xa980 . #xaaff) (#xabc0 . #xabff)
           (#xfb50 . #xfdff) (#xfe70 . #xfefc) (#x10a00 . #x10fff) (#x11000 . #x11fff)
           (#x1e900 . #x1e95f)))
  "Matches letters of scripts that are spelled with joiners.")

(defconst keepgate-text--emoji
  (rx (any (#x2190 . #x2bff) (#x1f000 . #x1faff)))
  "Matches symbols that a joiner may tie together.")

(defconst keepgate-text--styled
  (rx (any "0123456789#*" #x203c #x2049 #x2139 #x3030))
  "Matches what may have a style selector without being a symbol.")

(defun keepgate-text--is (regexp character)
  "Whether REGEXP match CHARACTER, which may be nil."
  (let ((case-fold-search nil))
    (and character (string-match-p regexp (string character)))))

(defun keepgate-text--category (character)
  "The general category of CHARACTER, a symbol, or nil."
  (and character (get-char-code-property character 'general-category)))

(defun keepgate-text--hidden-p (character)
  "Whether CHARACTER draws nothing or reorders its neighbours."
  (and (not (memq character '(?\n ?\t)))
       (or (keepgate-text--is keepgate-text--blank character)
           (memq (keepgate-text--category character) '(Cc Cf Zl Zp Cs)))))

(defun keepgate-text--spelled-p (character)
  "Whether CHARACTER is a letter or mark of a script that uses joiners."
  (and (keepgate-text--is keepgate-text--joining character)
       (not (keepgate-text--is keepgate-text--blank character))
       (memq (keepgate-text--category character) '(Lu Ll Lt Lm Lo Mn Mc Me))))

(defun keepgate-text--belongs-p (text index)
  "Whether the hidden character of TEXT at INDEX is part of a script or emoji."
  (let ((character (aref text index))
        (before (and (> index 0) (aref text (1- index))))
        (after (and (< (1+ index) (length text)) (aref text (1+ index)))))
    (cond
     ((memq character '(#xfe0e #xfe0f))
      (or (keepgate-text--is keepgate-text--styled before)
          (memq (keepgate-text--category before) '(So Sm))))
     ((not (memq character '(#x200c #x200d))) nil)
     ((and (keepgate-text--spelled-p before) (keepgate-text--spelled-p after)) t)
     ((and (= character #x200d) (keepgate-text--is keepgate-text--emoji after))
      (or (keepgate-text--is keepgate-text--emoji before)
          (and (eq before #xfe0f) (keepgate-text--belongs-p text (1- index))))))))

(defun keepgate-text-visible (text)
  "TEXT without properties, each hidden character written as ⟨U+202E⟩."
  (let ((case-fold-search nil)
        (plain (substring-no-properties text)))
    (if (not (string-match-p keepgate-text--suspect plain))
        plain
      (with-temp-buffer
        (dotimes (index (length plain))
          (let ((character (aref plain index)))
            (if (and (keepgate-text--hidden-p character)
                     (not (keepgate-text--belongs-p plain index)))
                (insert (format "⟨U+%04X⟩" character))
              (insert character))))
        (buffer-string)))))

(defun keepgate-text-line (text)
  "TEXT on one line: line breaks become ⏎, and hidden characters are written out."
  (let ((one (replace-regexp-in-string
              (rx (or "\r\n" (any "\n\r\v\f" #x85 #x2028 #x2029))) " ⏎ "
              (substring-no-properties text) t t)))
    (keepgate-text-visible (replace-regexp-in-string "\t" " " one t t))))

(defun keepgate-text-name (name)
  "NAME, quoted unless it is one plain word, so that it passes for no word of ours."
  (let ((shown (keepgate-text-line name)))
    (if (string-match-p (rx bos (+ (any alnum "_.@+:/\\~#-")) eos) shown)
        shown
      (concat "\"" (replace-regexp-in-string (rx (any "\"\\")) "\\\\\\&" shown) "\""))))

(defun keepgate-text-client (client)
  "The name of CLIENT and its version, where it told one; both are its own words."
  (mapconcat #'keepgate-text-name
             (delete "" (delq nil (list (plist-get client :client)
                                        (plist-get client :version))))
             " "))

(defun keepgate-text-short (text width)
  "TEXT on one line, cut at WIDTH columns with an ellipsis."
  (truncate-string-to-width (keepgate-text-line text) width nil nil "…"))

(defun keepgate-text-insert (text &optional face mark)
  "Insert TEXT and a line break, in FACE, each of its lines behind MARK.
A line that the window breaks goes on below MARK's end."
  (let ((mark (or mark "")))
    (dolist (line (split-string text "\n"))
      (let ((begin (point))
            (under (make-string (+ 2 (string-width mark)) ?\s)))
        (insert mark line "\n")
        (add-text-properties begin (point) `(wrap-prefix ,under))
        (when face
          (put-text-property begin (1- (point)) 'face face))))))

(defun keepgate-text-field (name value)
  "Insert a line with NAME and VALUE, somebody's words."
  (let ((begin (point)))
    (insert (propertize (format "%-12s" (concat name ":")) 'face 'keepgate-label)
            (keepgate-text-line value) "\n")
    (put-text-property begin (point) 'wrap-prefix (make-string 14 ?\s))))

(defun keepgate-text-time (milliseconds)
  "MILLISECONDS since 1970 as local time."
  (format-time-string "%Y-%m-%d %H:%M:%S" (/ milliseconds 1000.0)))

(defun keepgate-text-age (milliseconds)
  "How long ago MILLISECONDS since 1970 was, such as 3d."
  (let ((seconds (max 0 (- (float-time) (/ milliseconds 1000.0)))))
    (cond ((< seconds 60) "now")
          ((< seconds 3600) (format "%dm" (/ seconds 60)))
          ((< seconds 86400) (format "%dh" (/ seconds 3600)))
          (t (format "%dd" (/ seconds 86400))))))

(define-derived-mode keepgate-view-mode special-mode "Keepgate-View"
  "Something of keepgate to read."
  ;; Foreign text must not turn the lines around it.
  (setq-local bidi-paragraph-direction 'left-to-right
              truncate-lines nil
              word-wrap t)
  (buffer-disable-undo))

(defun keepgate-text-view (name draw)
  "Show the buffer NAME with what DRAW inserts, and return it."
  (let ((buffer (get-buffer-create name)))
    (with-current-buffer buffer
      (unless (derived-mode-p 'keepgate-view-mode)
        (keepgate-view-mode))
      (let ((inhibit-read-only t))
        (erase-buffer)
        (funcall draw)
        (goto-char (point-min))))
    (pop-to-buffer buffer)
    buffer))

(provide 'keepgate-text)
;;; keepgate-text.el ends here
