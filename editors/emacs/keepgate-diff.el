;;; keepgate-diff.el --- What differs between two texts  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; Differences are found here and drawn with the faces of `diff-mode', not
;; with that mode: it would fontify foreign hunks by opening the files that
;; they name, and its keys visit and patch them.  No program is run either,
;; so no memory goes through a temporary file.

;;; Code:

(require 'cl-lib)
(require 'diff-mode)
(require 'keepgate-options)
(require 'keepgate-text)

(defconst keepgate-diff--cells 400000
  "How many comparisons a difference may take; beyond it everything differs.")

(defconst keepgate-diff--around 3
  "How many unchanged lines are shown around a change of a long text.")

(defun keepgate-diff--table (old new)
  "The lengths of the longest common subsequences of the ends of OLD and NEW."
  (let* ((rows (length old))
         (columns (length new))
         (table (make-vector (1+ rows) nil)))
    (aset table rows (make-vector (1+ columns) 0))
    (cl-loop
     for row downfrom (1- rows) to 0
     do (let ((here (make-vector (1+ columns) 0))
              (below (aref table (1+ row))))
          (cl-loop
           for column downfrom (1- columns) to 0
           do (aset here column
                    (if (equal (aref old row) (aref new column))
                        (1+ (aref below (1+ column)))
                      (max (aref below column) (aref here (1+ column))))))
          (aset table row here)))
    table))

(defun keepgate-diff--walk (old new)
  "The steps from OLD to NEW, two vectors: (KIND . ITEM) with KIND -, + or =."
  (if (> (* (length old) (length new)) keepgate-diff--cells)
      (append (mapcar (lambda (item) (cons '- item)) old)
              (mapcar (lambda (item) (cons '+ item)) new))
    (let ((table (keepgate-diff--table old new))
          (row 0) (column 0) steps)
      (while (or (< row (length old)) (< column (length new)))
        (cond
         ((and (< row (length old)) (< column (length new))
               (equal (aref old row) (aref new column)))
          (push (cons '= (aref old row)) steps)
          (cl-incf row)
          (cl-incf column))
         ((and (< row (length old))
               (or (= column (length new))
                   (>= (aref (aref table (1+ row)) column)
                       (aref (aref table row) (1+ column)))))
          (push (cons '- (aref old row)) steps)
          (cl-incf row))
         (t (push (cons '+ (aref new column)) steps)
            (cl-incf column))))
      (nreverse steps))))

(defun keepgate-diff-steps (old new)
  "The steps from the list OLD to the list NEW: (KIND . ITEM), KIND -, + or =."
  (let (head tail)
    (while (and old new (equal (car old) (car new)))
      (push (cons '= (pop old)) head)
      (pop new))
    (let ((dlo (reverse old)) (wen (reverse new)))
      (while (and dlo wen (equal (car dlo) (car wen)))
        (push (cons '= (pop dlo)) tail)
        (pop wen))
      (append (nreverse head)
              (keepgate-diff--walk (vconcat (nreverse dlo)) (vconcat (nreverse wen)))
              tail))))

(defun keepgate-diff--words (text)
  "TEXT cut into words, blanks and single signs; together they are TEXT."
  (let ((position 0) words)
    (while (string-match (rx (or (+ (any alnum "_")) (+ (any " \t")) anychar)) text position)
      (push (match-string 0 text) words)
      (setq position (match-end 0)))
    (nreverse words)))

(defun keepgate-diff-refined (old new)
  "OLD and NEW as (OLD . NEW), with the words that differ in a face of their own."
  (let (before after)
    (dolist (step (keepgate-diff-steps (keepgate-diff--words old) (keepgate-diff--words new)))
      (pcase (car step)
        ('= (push (cdr step) before)
            (push (cdr step) after))
        ('- (push (propertize (cdr step) 'face 'keepgate-gone-word) before))
        ('+ (push (propertize (cdr step) 'face 'keepgate-new-word) after))))
    (cons (apply #'concat (nreverse before)) (apply #'concat (nreverse after)))))

(defun keepgate-diff--block (text mark face)
  "Insert each line of TEXT behind MARK, in FACE but where it has one."
  (let ((begin (point)))
    (keepgate-text-insert text nil mark)
    (add-face-text-property begin (point) face t)))

(defun keepgate-diff--change (gone come)
  "Insert the lines GONE and COME, which stand in for each other."
  (let ((pair (if (and gone come)
                  (keepgate-diff-refined (string-join gone "\n") (string-join come "\n"))
                (cons (string-join gone "\n") (string-join come "\n")))))
    (when gone (keepgate-diff--block (car pair) "- " 'keepgate-gone))
    (when come (keepgate-diff--block (cdr pair) "+ " 'keepgate-new))))

(defun keepgate-diff--same (lines first last)
  "Insert the unchanged LINES; of many the ends, unless FIRST or LAST of all."
  (let* ((count (length lines))
         (head (if first 0 keepgate-diff--around))
         (tail (if last 0 keepgate-diff--around)))
    (if (<= count (+ head tail 1))
        (keepgate-text-insert (string-join lines "\n") nil "  ")
      (when (> head 0)
        (keepgate-text-insert (string-join (cl-subseq lines 0 head) "\n") nil "  "))
      (insert (propertize (format "@ %d unchanged lines\n" (- count head tail))
                          'face 'keepgate-label))
      (when (> tail 0)
        (keepgate-text-insert (string-join (last lines tail) "\n") nil "  ")))))

(defun keepgate-diff-insert (old new)
  "Insert what differs between OLD and NEW, with the lines around it.
They are compared as they are shown, with hidden characters written out."
  (let ((steps (keepgate-diff-steps (split-string (keepgate-text-visible old) "\n")
                                    (split-string (keepgate-text-visible new) "\n")))
        (first t) same gone come)
    (while steps
      (while (eq (caar steps) '=) (push (cdr (pop steps)) same))
      (when same
        (keepgate-diff--same (nreverse same) first (null steps)))
      (setq first nil same nil)
      (while (and steps (not (eq (caar steps) '=)))
        (let ((step (pop steps)))
          (if (eq (car step) '-) (push (cdr step) gone) (push (cdr step) come))))
      (keepgate-diff--change (nreverse gone) (nreverse come))
      (setq gone nil come nil))))

(defun keepgate-diff-insert-gone (text)
  "Insert TEXT, which goes."
  (keepgate-diff--block (keepgate-text-visible text) "- " 'keepgate-gone))

(defun keepgate-diff-insert-new (text)
  "Insert TEXT, which comes."
  (keepgate-diff--block (keepgate-text-visible text) "+ " 'keepgate-new))

(defun keepgate-diff-insert-merged (olds new)
  "Insert the texts OLDS, each by itself, which go for the text NEW."
  (let* ((shown (mapcar #'keepgate-text-visible olds))
         (pair (keepgate-diff-refined (string-join shown "\n") (keepgate-text-visible new)))
         (rest (car pair))
         (number 0))
    (dolist (old shown)
      (insert (propertize (format "@ %d of %d\n" (cl-incf number) (length shown))
                          'face 'keepgate-label))
      (keepgate-diff--block (substring rest 0 (length old)) "- " 'keepgate-gone)
      ;; One more for the line break between two.
      (setq rest (substring rest (min (length rest) (1+ (length old))))))
    (insert (propertize "@ in their place\n" 'face 'keepgate-label))
    (keepgate-diff--block (cdr pair) "+ " 'keepgate-new)))

(provide 'keepgate-diff)
;;; keepgate-diff.el ends here
