// Package standardwebhooks has the part of the official library that the documentation uses, for machines that cannot fetch it.
package standardwebhooks

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const tolerance = 5 * 60

var errInvalid = errors.New("the request is not genuine")

// Webhook verifies requests with one secret.
type Webhook struct{ key []byte }

// NewWebhook reads a secret in base64, with or without its prefix.
func NewWebhook(secret string) (*Webhook, error) {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	return &Webhook{key}, err
}

// Verify returns an error unless one of the signatures is genuine and the timestamp is recent.
func (w *Webhook) Verify(payload []byte, headers http.Header) error {
	id, timestamp := headers.Get("webhook-id"), headers.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	age := time.Now().Unix() - seconds
	if err != nil || id == "" || age > tolerance || age < -tolerance {
		return errInvalid
	}
	mac := hmac.New(sha256.New, w.key)
	mac.Write([]byte(id + "." + timestamp + "."))
	mac.Write(payload)
	expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for _, signature := range strings.Split(headers.Get("webhook-signature"), " ") {
		if hmac.Equal([]byte(signature), []byte(expected)) {
			return nil
		}
	}
	return errInvalid
}
