// On paper, links show their whole address.
for (const link of document.querySelectorAll('main a[href]')) link.dataset.address = link.href;
