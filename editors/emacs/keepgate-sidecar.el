;;; keepgate-sidecar.el --- Start and end sidecars  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; A workspace is the project of a buffer, or the nearest folder above that
;; holds .keepgate, whichever is deeper; else the buffer's folder.  The
;; sidecar runs with the environment and the folder that Emacs itself has,
;; not with those that a project gave its buffers.  It ends when Emacs does,
;; however that ends: its stdin is closed then.

;;; Code:

(require 'keepgate-client)

(defvar-local keepgate-root nil
  "The workspace that a buffer of keepgate shows.")
(put 'keepgate-root 'permanent-local t)
(put 'keepgate-root 'risky-local-variable t)

(defun keepgate-sidecar--project (folder)
  "The root of the project that FOLDER is in, or nil."
  (let ((project (project-current nil folder)))
    (cond ((null project) nil)
          ((fboundp 'project-root) (project-root project))
          (t (car (with-no-warnings (project-roots project)))))))

(defun keepgate-sidecar-project (folder)
  "The workspace that says of itself that FOLDER is in it, or nil."
  (let ((found (delq nil (list (keepgate-sidecar--project folder)
                               (locate-dominating-file folder ".keepgate")))))
    (car (sort (mapcar #'keepgate-sidecar--name found)
               (lambda (one other) (> (length one) (length other)))))))

(defun keepgate-sidecar--name (folder)
  "FOLDER written in the one way in which it is kept."
  (directory-file-name (expand-file-name folder)))

(defun keepgate-sidecar-root ()
  "The workspace of the current buffer."
  (cond (keepgate-root)
        ((file-remote-p default-directory)
         (user-error "The keepgate sidecar runs where Emacs does, not on a remote host"))
        ((keepgate-sidecar-project default-directory))
        (t (keepgate-sidecar--name default-directory))))

(defun keepgate-sidecar-connections ()
  "The connections that have not ended."
  (cl-remove 'ended (hash-table-values keepgate-client--connections)
             :key #'keepgate-client-state))

(defun keepgate-sidecar-running (root)
  "The connection of ROOT that takes or will take requests, or nil."
  (let ((connection (gethash root keepgate-client--connections)))
    (and connection
         (memq (keepgate-client-state connection) '(starting ready))
         connection)))

(defun keepgate-sidecar-connection (&optional root)
  "The connection of ROOT or of the current buffer's workspace, started at need.
It also tells that the person is here now."
  (let* ((root (or root (keepgate-sidecar-root)))
         (connection (or (keepgate-sidecar-running root) (keepgate-sidecar-start root))))
    (keepgate-client-notify connection "session/active" nil)
    connection))

(defun keepgate-sidecar--command ()
  "The command line of a sidecar."
  (let* ((set (keepgate-option 'keepgate-program))
         (words (if (listp set) set (list set)))
         (exec-path (default-value 'exec-path))
         (default-directory (keepgate-sidecar--cwd))
         (program (executable-find (car words))))
    (unless program
      (user-error "There is no program %s: install keepgate, or set `keepgate-program'"
                  (car words)))
    (append (list program) (cdr words) '("serve" "--stdio"))))

(defun keepgate-sidecar--cwd ()
  "A folder for the process that no project chose."
  (let ((home (expand-file-name "~/")))
    (if (file-directory-p home) home "/")))

(defun keepgate-sidecar--process (name)
  "A process called NAME that serves."
  (let ((process-environment (default-value 'process-environment))
        (exec-path (default-value 'exec-path))
        (command (keepgate-sidecar--command))
        (default-directory (keepgate-sidecar--cwd)))
    (make-process :name name
                  :command command
                  :connection-type 'pipe
                  :coding 'utf-8-emacs-unix
                  :noquery t
                  ;; jsonrpc.el wants this very name.
                  :stderr (get-buffer-create (format "*%s stderr*" name)))))

(defun keepgate-sidecar--no-log ()
  "The arguments that keep memories out of a buffer of events."
  (if (memq '-events-buffer-config
            (mapcar #'eieio-slot-descriptor-name (eieio-class-slots 'jsonrpc-connection)))
      '(:events-buffer-config (:size 0 :format full))
    '(:events-buffer-scrollback-size 0)))

(defun keepgate-sidecar-start (root)
  "Start a sidecar for the workspace ROOT and return its connection."
  (let* ((name (format "keepgate %s" root))
         (connection
          (apply #'make-instance 'keepgate-client
                 :name name
                 :keepgate-root root
                 :process (lambda () (keepgate-sidecar--process name))
                 :request-dispatcher #'keepgate-client--request
                 :notification-dispatcher #'keepgate-client--notification
                 :on-shutdown #'keepgate-sidecar--ended
                 (keepgate-sidecar--no-log))))
    (puthash root connection keepgate-client--connections)
    (jsonrpc-async-request
     connection 'initialize (keepgate-sidecar--hello root)
     :timeout nil
     :success-fn (lambda (_) (keepgate-client-later #'keepgate-sidecar--ready connection))
     :error-fn (lambda (fault)
                 (keepgate-client-later #'keepgate-sidecar--failed connection fault)))
    (run-hooks 'keepgate-client-change-hook)
    connection))

(defun keepgate-sidecar--uri (path)
  "PATH as a file URI."
  (concat "file://" (url-hexify-string path url-path-allowed-chars)))

(defun keepgate-sidecar--hello (root)
  "The params of `initialize' for the workspace ROOT."
  (let ((uri (keepgate-sidecar--uri root)))
    (list :processId (emacs-pid)
          :clientInfo (list :name "Emacs" :version emacs-version)
          :rootUri uri
          :workspaceFolders (vector (list :uri uri :name (file-name-nondirectory root)))
          :capabilities '(:experimental (:keepgate (:approvalRequest t))))))

(defun keepgate-sidecar--ready (connection)
  "Send over CONNECTION what waited for its sidecar to be ready."
  (when (eq (keepgate-client-state connection) 'starting)
    (jsonrpc-notify connection 'initialized (make-hash-table))
    (setf (keepgate-client-state connection) 'ready)
    (let ((unsent (nreverse (keepgate-client--unsent connection))))
      (setf (keepgate-client--unsent connection) nil)
      (mapc #'funcall unsent))
    (run-hooks 'keepgate-client-change-hook)))

(defun keepgate-sidecar--failed (connection fault)
  "Tell that the sidecar of CONNECTION could not begin because of FAULT."
  (unless (eq (keepgate-client-state connection) 'ended)
    (keepgate-client-complain fault)
    (puthash (keepgate-client-root connection) keepgate-client--deaths-max
             keepgate-client--deaths)
    (keepgate-sidecar-stop connection)))

(defun keepgate-sidecar-stop (connection &optional then)
  "Have the sidecar of CONNECTION end, then call THEN.
Questions that are open go to another window or wait in the inbox."
  (setf (keepgate-client--then connection) then)
  (let ((begun (eq (keepgate-client-state connection) 'ready)))
    (setf (keepgate-client-state connection) 'stopping)
    (if (not begun)
        (delete-process (jsonrpc--process connection))
      (jsonrpc-async-request
       connection 'shutdown nil
       :timeout 5
       :success-fn (lambda (_) (keepgate-client-later #'keepgate-sidecar--exit connection))
       :error-fn (lambda (_) (keepgate-client-later #'keepgate-sidecar--exit connection))
       :timeout-fn (lambda () (keepgate-client-later #'keepgate-sidecar--kill connection))))))

(defun keepgate-sidecar--exit (connection)
  "Tell the sidecar of CONNECTION to exit; see to it that it does."
  (when (jsonrpc-running-p connection)
    (jsonrpc-notify connection 'exit nil)
    (run-at-time 5 nil #'keepgate-sidecar--kill connection)))

(defun keepgate-sidecar--kill (connection)
  "End the process of CONNECTION if it still runs."
  (when (jsonrpc-running-p connection)
    (delete-process (jsonrpc--process connection))))

(defun keepgate-sidecar--ended (connection)
  "Clear away what hung on CONNECTION, whose process is gone."
  (let ((wanted (eq (keepgate-client-state connection) 'stopping))
        (tickets (keepgate-client--tickets connection)))
    (setf (keepgate-client-state connection) 'ended
          (keepgate-client--tickets connection) nil
          (keepgate-client--unsent connection) nil)
    (dolist (ticket tickets)
      (keepgate-client-later #'run-hook-with-args 'keepgate-client-withdrawn-functions ticket
                             "The sidecar has ended; the wish waits in the inbox."))
    (keepgate-client-later #'keepgate-sidecar--afterwards connection wanted)))

(defun keepgate-sidecar--afterwards (connection wanted)
  "Go on after CONNECTION's end, WANTED or not; start it again if it died."
  (let* ((root (keepgate-client-root connection))
         (then (keepgate-client--then connection))
         (deaths (gethash root keepgate-client--deaths 0)))
    (when (eq (gethash root keepgate-client--connections) connection)
      (remhash root keepgate-client--connections)
      (cond
       (then (funcall then))
       (wanted nil)
       ((< deaths keepgate-client--deaths-max)
        (puthash root (1+ deaths) keepgate-client--deaths)
        (message "keepgate: the sidecar of %s ended; it is started again" root)
        (keepgate-sidecar-start root))
       (t (message "keepgate: the sidecar of %s ended; M-x keepgate-restart" root))))
    (run-hooks 'keepgate-client-change-hook)))

(provide 'keepgate-sidecar)
;;; keepgate-sidecar.el ends here
