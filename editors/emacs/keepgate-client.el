;;; keepgate-client.el --- Sidecars, one for each workspace  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; jsonrpc.el answers a request as soon as the dispatcher returns, and a
;; person needs longer.  The dispatcher here returns a ticket instead of a
;; result.  jsonrpc.el, that of Emacs 28 as well as 1.0.27 of the package,
;; hands a reply with its id to the generic function
;; `jsonrpc-connection-send', which is documented and which this class
;; specialises: a reply that is a ticket is not sent; its id is kept, and
;; the answer goes out through the same function when the person decided.
;;
;; Nothing of ours runs inside the process filter, where on Emacs 28 a
;; message that arrives while another is sent would be lost: whatever comes
;; in is put into a queue, which a timer works off in order.

;;; Code:

(require 'cl-lib)
(require 'eieio)
(require 'jsonrpc)
(require 'project)
(require 'url-util)
(require 'keepgate-options)

(defconst keepgate-client-version "0.1.0"
  "The version of this package.")

(defconst keepgate-client--cancelled -32800
  "The error of a request that was cancelled.")

(defclass keepgate-client (jsonrpc-process-connection)
  ((keepgate-root :initarg :keepgate-root :reader keepgate-client-root
                  :documentation "The folder of the workspace.")
   (keepgate-state :initform 'starting :accessor keepgate-client-state
                   :documentation "One of starting, ready, stopping, ended.")
   (keepgate-unsent :initform nil :accessor keepgate-client--unsent
                    :documentation "What is to be sent when it is ready, newest first.")
   (keepgate-tickets :initform nil :accessor keepgate-client--tickets
                     :documentation "The requests that wait for an answer.")
   (keepgate-session :initform nil :accessor keepgate-client--session
                     :documentation "The id of the session that writes from here.")
   (keepgate-pending :initform 0 :accessor keepgate-client-pending
                     :documentation "How many wishes wait, as the sidecar told last.")
   (keepgate-health :initform nil :accessor keepgate-client-health
                    :documentation "How the sidecar said that it is, with its message.")
   (keepgate-then :initform nil :accessor keepgate-client--then
                  :documentation "What is called when it has ended on purpose."))
  "A sidecar of a workspace.")

(cl-defstruct (keepgate-client-ticket (:copier nil))
  "A request of the sidecar that is answered later."
  connection id method)

(defvar keepgate-client--connections (make-hash-table :test #'equal)
  "The connection of each workspace, by its folder.")

(defvar keepgate-client--deaths (make-hash-table :test #'equal)
  "How often the sidecar of each workspace ended by itself.")

(defconst keepgate-client--deaths-max 3
  "How often a sidecar that ended by itself is started again.")

(defvar keepgate-client-question-function #'ignore
  "Called with a ticket and the params of each `approval/request'.")

(defvar keepgate-client-withdrawn-functions nil
  "Called with each ticket that needs no answer any more, and why, in words.")

(defvar keepgate-client-notification-functions nil
  "Called with connection, method (a symbol) and params of each notification.")

(defvar keepgate-client-change-hook nil
  "Run when a sidecar started, became ready, ended or told how it is.")

;;; What comes in

(defvar keepgate-client--due nil
  "What is to be called, in order.")

(defun keepgate-client-later (function &rest arguments)
  "Call FUNCTION with ARGUMENTS from a timer, after what was put off before."
  (setq keepgate-client--due (append keepgate-client--due (list (cons function arguments))))
  (run-at-time 0 nil #'keepgate-client--work))

(defun keepgate-client--work ()
  "Call what is due."
  (while keepgate-client--due
    (let ((next (pop keepgate-client--due)))
      (with-demoted-errors "keepgate: %S"
        (apply (car next) (cdr next))))))

(cl-defmethod jsonrpc-connection-send ((connection keepgate-client)
                                       &rest args &key id result &allow-other-keys)
  "Send ARGS over CONNECTION, but keep the ID of a reply whose RESULT is a ticket."
  (ignore args)
  (if (keepgate-client-ticket-p result)
      (progn
        (setf (keepgate-client-ticket-id result) id)
        (push result (keepgate-client--tickets connection))
        (keepgate-client-later #'keepgate-client--put result))
    (cl-call-next-method)))

(defvar keepgate-client--questions (make-hash-table :test #'eq :weakness 'key)
  "The params of each ticket that was not put yet.")

(defun keepgate-client--put (ticket)
  "Put the question of TICKET, or say that it cannot be put here."
  (let ((params (gethash ticket keepgate-client--questions)))
    (remhash ticket keepgate-client--questions)
    (when (keepgate-client-open-p ticket)
      (condition-case problem
          (funcall keepgate-client-question-function ticket params)
        (error
         (keepgate-client-refuse ticket -32603 "the question could not be shown")
         (message "keepgate: a question could not be shown: %S" problem))))))

(defun keepgate-client--request (connection method params)
  "Dispatch the request METHOD with PARAMS of CONNECTION's sidecar."
  (if (not (eq method 'approval/request))
      (jsonrpc-error :code -32601 :message "Emacs has no such method")
    (let ((ticket (make-keepgate-client-ticket :connection connection :method method)))
      (puthash ticket params keepgate-client--questions)
      ticket)))

(defun keepgate-client--notification (connection method params)
  "Dispatch the notification METHOD with PARAMS of CONNECTION's sidecar."
  (keepgate-client-later #'keepgate-client--notified connection method params))

(defun keepgate-client--notified (connection method params)
  "Do what METHOD with PARAMS of CONNECTION's sidecar asks for."
  (pcase method
    ('$/cancelRequest
     (let ((ticket (cl-find (plist-get params :id) (keepgate-client--tickets connection)
                            :key #'keepgate-client-ticket-id :test #'equal)))
       (when ticket
         (keepgate-client-refuse ticket keepgate-client--cancelled "cancelled")
         (run-hook-with-args 'keepgate-client-withdrawn-functions ticket "It was withdrawn."))))
    ('keepgate/status
     (setf (keepgate-client-pending connection) (or (plist-get params :pendingApprovals) 0)
           (keepgate-client-health connection)
           (cons (plist-get params :health) (plist-get params :message)))
     (run-hooks 'keepgate-client-change-hook))
    (_ (run-hook-with-args 'keepgate-client-notification-functions
                           connection method params))))

;;; Answers to the sidecar

(defun keepgate-client-open-p (ticket)
  "Whether TICKET still waits for an answer."
  (memq ticket (keepgate-client--tickets (keepgate-client-ticket-connection ticket))))

(defun keepgate-client--reply (ticket &rest reply)
  "Send REPLY to the request of TICKET, once."
  (let ((connection (keepgate-client-ticket-connection ticket)))
    (when (keepgate-client-open-p ticket)
      (setf (keepgate-client--tickets connection)
            (delq ticket (keepgate-client--tickets connection)))
      (when (jsonrpc-running-p connection)
        (apply #'jsonrpc-connection-send connection
               :id (keepgate-client-ticket-id ticket) reply)))))

(defun keepgate-client-answer (ticket result)
  "Answer the request of TICKET with RESULT, a plist."
  (keepgate-client--reply ticket :result result))

(defun keepgate-client-refuse (ticket code message)
  "Answer the request of TICKET with an error CODE and MESSAGE."
  (keepgate-client--reply ticket :error (list :code code :message message)))

;;; Requests to the sidecar

(defun keepgate-client--object (params)
  "PARAMS, a plist, as what is sent for it; of no members an empty object."
  (or params (make-hash-table)))

(defun keepgate-client-when-ready (connection function)
  "Call FUNCTION as soon as CONNECTION can take requests."
  (pcase (keepgate-client-state connection)
    ('ready (funcall function))
    ('starting (push function (keepgate-client--unsent connection)))
    (_ (user-error "The sidecar of %s has ended" (keepgate-client-root connection)))))

(defun keepgate-client-request (connection method params &optional success failure)
  "Send METHOD, a string, with PARAMS, a plist, over CONNECTION.
SUCCESS is called with the result, FAILURE with the error, a plist;
without it the error is shown.  Writes wait for a person, so nothing here
has a deadline."
  (keepgate-client-when-ready
   connection
   (lambda ()
     (jsonrpc-async-request
      connection (intern method) (keepgate-client--object params)
      :timeout nil
      :success-fn (lambda (result) (keepgate-client-later (or success #'ignore) result))
      :error-fn (lambda (fault)
                  (keepgate-client-later (or failure #'keepgate-client-complain) fault))))))

(defun keepgate-client-notify (connection method params)
  "Send the notification METHOD with PARAMS over CONNECTION once it is ready."
  (keepgate-client-when-ready
   connection
   (lambda ()
     (jsonrpc-notify connection (intern method) (keepgate-client--object params)))))

(defun keepgate-client-code (fault)
  "The code of FAULT by name, or nil."
  (plist-get (plist-get fault :data) :code))

(defun keepgate-client-complain (fault)
  "Show FAULT, an error of the sidecar."
  (message "keepgate: %s" (or (plist-get fault :message) "failed")))

(defun keepgate-client-session (connection)
  "The session that writes of CONNECTION name."
  (unless (keepgate-client--session connection)
    (setf (keepgate-client--session connection)
          (format "emacs-%d-%06x" (emacs-pid) (random #x1000000))))
  (list :id (keepgate-client--session connection)))

(provide 'keepgate-client)
;;; keepgate-client.el ends here
